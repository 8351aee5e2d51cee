package sluice.nfs.host;

import java.util.Arrays;
import sluice.fs.FileKind;

/// A file of a host directory: its inode number and the handle by which the kernel finds it again.
/// Immutable except for `retained`, which [HostDescriptors] guards with its lock.
final class HostFile {
  final long inode;

  /// The handle as `FileHandles` of `sys` returns it: type and bytes.
  final byte[] handle;

  /// The kind of the file, which is constant while the handle is valid.
  final FileKind kind;

  /// A number that differs between files that had the same inode number.
  final int generation;

  /// The number of times the file is retained; guarded by the lock of [HostDescriptors].
  int retained;

  HostFile(long inode, byte[] handle, FileKind kind) {
    this.inode = inode;
    this.handle = handle;
    this.kind = kind;
    this.generation = Arrays.hashCode(handle);
  }

  /// Returns true if the file may be opened for its content or names. Opening a device or a pipe
  /// would access the devices of this machine.
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
