package sluice.nfs.host;

import java.util.Arrays;
import sluice.fs.FileKind;

/// A file of a host directory, identified by its inode number and by the handle with which the
/// kernel can open it again. Instances are immutable except for `retained`, which is guarded by the
/// lock of [HostDescriptors].
final class HostFile {
  final long inode;

  /// The type and the bytes of the handle, in the format of `FileHandles` in module `sys`.
  final byte[] handle;

  /// The kind of the file, which is constant while the handle is valid.
  final FileKind kind;

  /// A number that distinguishes the files that have successively used the same inode number.
  final int generation;

  /// The number of times that the file is retained, guarded by the lock of [HostDescriptors].
  int retained;

  HostFile(long inode, byte[] handle, FileKind kind) {
    this.inode = inode;
    this.handle = handle;
    this.kind = kind;
    this.generation = Arrays.hashCode(handle);
  }

  /// Returns true if the file may be opened for its content or names. Other files are not opened,
  /// because opening a device or a pipe would access the devices of this machine.
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
