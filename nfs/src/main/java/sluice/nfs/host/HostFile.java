package sluice.nfs.host;

import java.util.Arrays;
import sluice.fs.FileKind;

/// A file of a host directory that has been seen: its inode number and the handle by which the
/// kernel finds it again. Immutable but for what [HostFiles] keeps in it under its lock.
final class HostFile {
  final long inode;

  /// As `FileHandles` of `sys` gives it: type and bytes.
  final byte[] handle;

  /// What it is: it stays so as long as the handle is good.
  final FileKind kind;

  /// Differs between files that had the same inode number one after another.
  final int generation;

  /// What keeps it in being; guarded by the lock of [HostDescriptors].
  int retained;

  HostFile(long inode, byte[] handle, FileKind kind) {
    this.inode = inode;
    this.handle = handle;
    this.kind = kind;
    this.generation = Arrays.hashCode(handle);
  }

  /// Whether it may be opened for its content or names: opening a device or a pipe would reach this
  /// machine's devices.
  boolean opens() {
    return kind == FileKind.REGULAR || kind == FileKind.DIRECTORY;
  }

  boolean is(byte[] other, int length) {
    return Arrays.equals(handle, 0, handle.length, other, 0, length);
  }

  @Override
  public String toString() {
    return "inode " + inode;
  }
}
