package sluice.fs.fuse;

/// The durability guarantees of a mount, and the calls in which the kernel waits for them.
/// Immutable and safe for use by any thread.
///
/// @param blockDevice path of a block device to mount from (`fuseblk`), empty for none. With it the
///   kernel waits for the server in `umount(2)`, and since Linux 6.18 also in `sync(2)` and
///   `syncfs(2)`. Nothing is read from it or written to it. If the kernel rejects it, the mount is
///   made without it
/// @param closesTree true to close the tree when the mount ends: with a block device before
///   `umount(2)` returns, so that the image is complete then. Otherwise the tree is only made
///   stable
/// @param flushOnClose true to make a `close(2)` of a changed file wait until it is stable, as
///   `fsync(2)`
public record FuseStability(String blockDevice, boolean closesTree, boolean flushOnClose) {
  /// A mount without a block device, of a tree that outlives it; closing a file waits for nothing.
  public static final FuseStability NONE = new FuseStability("", false, false);

  public FuseStability withBlockDevice(String path) {
    return new FuseStability(path, closesTree, flushOnClose);
  }

  public FuseStability withClosesTree(boolean closes) {
    return new FuseStability(blockDevice, closes, flushOnClose);
  }

  public FuseStability withFlushOnClose(boolean flush) {
    return new FuseStability(blockDevice, closesTree, flush);
  }
}
