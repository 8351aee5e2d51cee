package sluice.fs.provider;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import sluice.fs.AttributeChange;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;

/// The attributes of a file as defined by `java.nio.file`. Instances are immutable and thread-safe.
///
/// @param file the attributes that were returned by the tree
/// @param device a number that differs between trees
record TreeAttributes(FileAttributes file, long device) implements PosixFileAttributes {
  private static final PosixFilePermission[] PERMISSIONS = PosixFilePermission.values();

  /// A file key that is unique among all existing files.
  private record Key(long device, long inode) {
    @Override
    public String toString() {
      return "(dev=" + Long.toHexString(device) + ",ino=" + inode + ")";
    }
  }

  static FileTime time(long nanos) {
    return FileTime.from(nanos, TimeUnit.NANOSECONDS);
  }

  /// Returns the given time in nanoseconds, limited to the valid range. The smallest representable
  /// number is not returned because it means the current time.
  static long nanos(FileTime time) {
    return Math.max(time.to(TimeUnit.NANOSECONDS), AttributeChange.NOW + 1);
  }

  @Override
  public FileTime lastModifiedTime() {
    return time(file.modifyNanos());
  }

  @Override
  public FileTime lastAccessTime() {
    return time(file.accessNanos());
  }

  /// Returns the creation time, or the modification time if the image does not store creation
  /// times.
  @Override
  public FileTime creationTime() {
    return time(file.birthNanos() == 0 ? file.modifyNanos() : file.birthNanos());
  }

  @Override
  public boolean isRegularFile() {
    return file.kind() == FileKind.REGULAR;
  }

  @Override
  public boolean isDirectory() {
    return file.isDirectory();
  }

  @Override
  public boolean isSymbolicLink() {
    return file.kind() == FileKind.SYMLINK;
  }

  @Override
  public boolean isOther() {
    return !isRegularFile() && !isDirectory() && !isSymbolicLink();
  }

  @Override
  public long size() {
    return file.sizeBytes();
  }

  @Override
  public Object fileKey() {
    return new Key(device, file.inode());
  }

  @Override
  public UserPrincipal owner() {
    return new Principal.User(file.uid());
  }

  @Override
  public GroupPrincipal group() {
    return new Principal.Group(file.gid());
  }

  @Override
  public Set<PosixFilePermission> permissions() {
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission one : PERMISSIONS) {
      if ((file.mode() & NewAttributes.bit(one)) != 0) {
        set.add(one);
      }
    }
    return set;
  }
}
