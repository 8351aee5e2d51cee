package sluice.fs.fuse;

/// Takes messages of one connection and answers them, until it ends; each way to the kernel has its
/// own. [#run] is one thread's, [#busy] any thread's.
interface FuseServer extends Runnable, AutoCloseable {
  /// Whether it may be using the tree.
  boolean busy();

  /// Gives memory and device back; of any thread before it is started, then of its own.
  @Override
  void close();
}
