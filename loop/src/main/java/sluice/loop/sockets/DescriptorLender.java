package sluice.loop.sockets;

/// The view of another loop of the process for a loop that is short of descriptors: its numbers of
/// connections, and a request to end idle ones. Any thread may call.
public interface DescriptorLender {
  /// Returns the approximate number of its connections; it may be outdated.
  int connectionCount();

  /// Returns the approximate number of its idle connections; it may be outdated.
  int idleCount();

  /// Ends the connections that have been idle longest, on the other loop's own thread.
  ///
  /// @param count the most connections to end
  /// @param done runs on that thread when their sockets have been closed
  void release(int count, Runnable done);
}
