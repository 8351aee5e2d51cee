package sluice.fs;

import org.jspecify.annotations.Nullable;

/// What `stat(2)` tells of a file, as of one moment. Immutable: any thread may use it, and a tree
/// hands out the same object until the file changes.
///
/// Times are nanoseconds since 1970, which reaches from 1677 to 2262; what an image holds beyond is
/// given as the nearest of the two ends.
///
/// @param inode number of the inode
/// @param generation differs between files that had the same inode number one after another
/// @param mode kind and permission bits
/// @param links number of names
/// @param uid owner
/// @param gid group
/// @param sizeBytes length of the content
/// @param allocatedBytes what it takes on the device
/// @param deviceMajor major number of a device file, else 0
/// @param deviceMinor minor number of a device file, else 0
/// @param accessNanos last read
/// @param modifyNanos last change of the content
/// @param changeNanos last change of content or attributes
/// @param birthNanos creation, or 0 where it is not kept
/// @param version grows with every change of content or attributes that a caller looks at before
///   and after, but not when a read is noted; never twice the same for different content
public record FileAttributes(
    long inode,
    int generation,
    int mode,
    int links,
    int uid,
    int gid,
    long sizeBytes,
    long allocatedBytes,
    int deviceMajor,
    int deviceMinor,
    long accessNanos,
    long modifyNanos,
    long changeNanos,
    long birthNanos,
    long version) {

  /// Whether both are of one file: an inode number alone is given to one file after another.
  public boolean isFileOf(@Nullable FileAttributes other) {
    return other != null && inode == other.inode && generation == other.generation;
  }

  public FileKind kind() {
    return FileKind.ofMode(mode);
  }

  public boolean isDirectory() {
    return (mode & FileKind.MODE_MASK) == FileKind.DIRECTORY.modeBits();
  }

  /// The permission bits with set-user-id, set-group-id and sticky: 12 bits.
  public int permissions() {
    return mode & 0xFFF;
  }
}
