package sluice.fs;

import org.jspecify.annotations.Nullable;

/// The attributes of a file at a point in time, as returned by `stat(2)`. Instances are immutable
/// and thread-safe. A tree returns the same object until the file changes.
///
/// Times are given in nanoseconds since 1970, which allows a range from 1677 to 2262. If the image
/// contains a time outside of this range, it is replaced by the nearest limit.
///
/// @param inode the inode number
/// @param generation a number that differs between files that successively had the same inode
///   number
/// @param mode the kind and the permission bits
/// @param links the number of names
/// @param uid the owner
/// @param gid the group
/// @param sizeBytes the length of the content
/// @param allocatedBytes the space that the file occupies on the device
/// @param deviceMajor the major number of a device file, or 0 for other files
/// @param deviceMinor the minor number of a device file, or 0 for other files
/// @param accessNanos the time of the last read
/// @param modifyNanos the time of the last change of the content
/// @param changeNanos the time of the last change of the content or the attributes
/// @param birthNanos the creation time, or 0 if it is not stored
/// @param version a number that increases with every change of content or attributes that a caller
///   can observe by reading the file before and after the change, but not when an access time is
///   updated; it never repeats for different content
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

  /// Returns true if both objects describe the same file. Comparing the inode numbers is not
  /// sufficient because a number may be reused for another file.
  public boolean isFileOf(@Nullable FileAttributes other) {
    return other != null && inode == other.inode && generation == other.generation;
  }

  public FileKind kind() {
    return FileKind.ofMode(mode);
  }

  public boolean isDirectory() {
    return (mode & FileKind.MODE_MASK) == FileKind.DIRECTORY.modeBits();
  }

  /// Returns the 12 permission bits, which include set-user-id, set-group-id and sticky.
  public int permissions() {
    return mode & 0xFFF;
  }
}
