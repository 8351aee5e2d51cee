package sluice.loop.sockets;

/// The view of another loop of the process for a loop that has run out of descriptors. It provides
/// the loop's numbers of connections, and accepts a request to close idle ones. Any thread may
/// call.
public interface DescriptorLender {
  /// Returns the approximate number of its connections, which may be out of date.
  int connectionCount();

  /// Returns the approximate number of its idle connections, which may be out of date.
  int idleCount();

  /// Closes the connections that have been idle longest, on the other loop's own thread.
  ///
  /// @param count the maximum number of connections to close
  /// @param done invoked on that thread when their sockets have been closed
  void release(int count, Runnable done);
}
