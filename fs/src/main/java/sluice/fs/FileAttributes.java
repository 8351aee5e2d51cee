package sluice.fs;

import org.jspecify.annotations.Nullable;

/// The attributes of a file at one moment, as in `stat(2)`. Immutable and safe for use by any
/// thread; a tree returns the same object until the file changes.
///
/// Times are nanoseconds since 1970 and range from 1677 to 2262; a time of an image outside of this
/// range is replaced by the nearest end.
///
/// @param inode inode number
/// @param generation differs between files that had the same inode number one after another
/// @param mode kind and permission bits
/// @param links number of names
/// @param uid owner
/// @param gid group
/// @param sizeBytes length of the content
/// @param allocatedBytes space used on the device
/// @param deviceMajor major number of a device file, else 0
/// @param deviceMinor minor number of a device file, else 0
/// @param accessNanos last read
/// @param modifyNanos last change of the content
/// @param changeNanos last change of content or attributes
/// @param birthNanos creation, or 0 if it is not stored
/// @param version grows with every change of content or attributes that a caller can observe by
///   reading it before and after, but not when an access time is updated; never repeats for
///   different content
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

  /// Returns true if both belong to the same file. An inode number alone may be reused by another
  /// file.
  public boolean isFileOf(@Nullable FileAttributes other) {
    return other != null && inode == other.inode && generation == other.generation;
  }

  public FileKind kind() {
    return FileKind.ofMode(mode);
  }

  public boolean isDirectory() {
    return (mode & FileKind.MODE_MASK) == FileKind.DIRECTORY.modeBits();
  }

  /// Returns the permission bits with set-user-id, set-group-id and sticky: 12 bits.
  public int permissions() {
    return mode & 0xFFF;
  }
}
