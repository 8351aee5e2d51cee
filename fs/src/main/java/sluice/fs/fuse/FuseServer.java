package sluice.fs.fuse;

/// A server of one connection: receives messages and replies, until the connection ends. Each
/// transport has its own implementation. [#run] is called by one thread, [#busy] by any thread.
interface FuseServer extends Runnable, AutoCloseable {
  /// Returns true if the server may be using the tree.
  boolean busy();

  /// Releases memory and device. Called by any thread before the start, then by the server's own
  /// thread.
  @Override
  void close();
}
