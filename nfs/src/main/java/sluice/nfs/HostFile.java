package sluice.nfs;

import java.util.Arrays;

/// A file of a host directory that has been seen: its inode number and the handle by which the
/// kernel finds it again. Immutable but for what [HostFiles] keeps in it under its lock.
final class HostFile {
  final long inode;

  /// As `FileHandles` of `sys` gives it: type and bytes.
  final byte[] handle;

  /// Differs between files that had the same inode number one after another.
  final int generation;

  /// Who keeps it in being; guarded by the lock of [HostDescriptors].
  int retained;

  HostFile(long inode, byte[] handle) {
    this.inode = inode;
    this.handle = handle;
    this.generation = Arrays.hashCode(handle);
  }

  boolean is(byte[] other, int length) {
    return Arrays.equals(handle, 0, handle.length, other, 0, length);
  }

  @Override
  public String toString() {
    return "inode " + inode;
  }
}
