package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Creates entity tags (RFC 9110 section 8.8.3) in the formats of [Site.Tags].
///
/// Stateless, so any thread may call it.
final class FileTag {
  private static final int DIGEST_BYTES = 16;

  private FileTag() {}

  /// Returns a strong tag for one state of a file, which is `"inode-size-modified-changed"` in
  /// hexadecimal followed by a suffix.
  ///
  /// The inode is included because a file can be replaced by another of the same size and time. The
  /// change time is included because a program can replace the content and set the modification
  /// time back. Both differ between machines that serve copies of the same site, so clients behind
  /// a load balancer without affinity download the file again.
  static String of(FileStatus status, String suffix) {
    return "\""
        + Long.toHexString(status.inode)
        + '-'
        + Long.toHexString(status.sizeBytes)
        + '-'
        + time(status.modifiedSeconds, status.modifiedNanos)
        + '-'
        + time(status.changedSeconds, status.changedNanos)
        + suffix
        + '"';
  }

  /// Returns a weak tag, which is `W/"modified-size"` in hexadecimal followed by a suffix. The time
  /// is in whole seconds, because archives and copies do not preserve fractions.
  static String ofTime(FileStatus status, String suffix) {
    return "W/\""
        + Long.toHexString(status.modifiedSeconds)
        + '-'
        + Long.toHexString(status.sizeBytes)
        + suffix
        + '"';
  }

  /// Returns a strong tag, which is half of the SHA-256 digest of the bytes followed by a suffix.
  static String ofContent(MemorySegment bytes, String suffix) {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    if (bytes.byteSize() > 0) {
      sha256.update(bytes.asByteBuffer());
    }
    return '"' + HexFormat.of().formatHex(sha256.digest(), 0, DIGEST_BYTES) + suffix + '"';
  }

  private static String time(long seconds, int nanos) {
    return Long.toHexString(seconds) + HexFormat.of().toHexDigits(nanos);
  }
}
