package sluice.fs.fuse;

/// What a mount makes stable, and for what the kernel waits. Immutable: any thread may use it.
///
/// @param blockDevice path of a block device to mount from (`fuseblk`), empty for none. With it the
///   kernel waits in `umount(2)` until the server is done, and since Linux 6.18 in `sync(2)` and
///   `syncfs(2)` too. Nothing is read from it or written to it. Where the kernel refuses it, the
///   mount is made without
/// @param closesTree whether the tree is closed when the mount ends: with a block device before
///   `umount(2)` returns, so that the image is whole then. Otherwise it is made stable, no more
/// @param flushOnClose whether a `close(2)` of a file that was changed waits until it is stable, as
///   `fsync(2)` does
public record FuseStability(String blockDevice, boolean closesTree, boolean flushOnClose) {
  /// A mount without a block device, of a tree that lives longer; closing waits for nothing.
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
