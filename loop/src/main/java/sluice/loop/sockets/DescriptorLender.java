package sluice.loop.sockets;

/// Another loop of this process as a loop that is short of descriptors sees it: what its
/// connections take, and that it ends idle ones where the other has none. Any thread may call.
public interface DescriptorLender {
  /// Returns how many connections it has, about: the number may be old.
  int connectionCount();

  /// Returns how many idle connections it has, about: the number may be old.
  int idleCount();

  /// Has it end the connections that have been idle longest, on its own thread.
  ///
  /// @param count at most
  /// @param done runs on that thread when their sockets have been closed
  void release(int count, Runnable done);
}
