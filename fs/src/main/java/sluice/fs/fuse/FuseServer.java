package sluice.fs.fuse;

/// Serves a connection by receiving messages and sending replies until the connection is closed.
/// There is one implementation for each transport. [#run] is called by a single thread, and [#busy]
/// may be called by any thread.
interface FuseServer extends Runnable, AutoCloseable {
  /// Returns true if the server may be using the tree.
  boolean busy();

  /// Releases the memory and the device. Called by any thread before the server has been started,
  /// and by the server's own thread afterwards.
  @Override
  void close();
}
