package sluice.fs.fuse;

/// The durability guarantees of a mount, and the calls in which the kernel waits for them.
/// Instances are immutable and thread-safe.
///
/// @param blockDevice the path of a block device from which to mount (`fuseblk`), or an empty
///   string for none; with a block device, the kernel waits for the server in `umount(2)`, and
///   since Linux 6.18 also in `sync(2)` and `syncfs(2)`; the device is neither read nor written,
///   and if the kernel rejects it, the tree is mounted without it
/// @param closesTree true to close the tree when the mount ends; with a block device this happens
///   before `umount(2)` returns, so that the image is complete by then; if false, the changes to
///   the tree are only made durable
/// @param flushOnClose true to make a `close(2)` of a changed file wait until its changes are
///   durable, like `fsync(2)`
public record FuseStability(String blockDevice, boolean closesTree, boolean flushOnClose) {
  /// A mount without a block device, of a tree that outlives the mount. Closing a file does not
  /// wait.
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
