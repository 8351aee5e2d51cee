package sluice.http;

/// Strong entity tags (RFC 9110 section 8.8.3) made from what identifies one state of one file.
///
/// Stateless: any thread may call.
///
/// The inode is part of it because a file can be replaced by another of equal size and time; the
/// change time because content can be replaced and the modification time set back. Both differ
/// between machines that serve copies of one site: behind a balancer without affinity, clients
/// fetch again.
final class FileTag {
  private FileTag() {}

  /// The tag with its quotes: `"inode-size-modified-changed"` in hexadecimal, and a suffix.
  static String of(FileStatus status, String suffix) {
    return "\""
        + Long.toHexString(status.inode)
        + '-'
        + Long.toHexString(status.sizeBytes)
        + '-'
        + Long.toHexString(status.modifiedNanos)
        + '-'
        + Long.toHexString(status.changedNanos)
        + suffix
        + '"';
  }
}
