package sluice.loop.engine;

/// The options for opening a listening socket.
///
/// @param backlog the maximum number of connections queued by the kernel, 1 to 65535
/// @param reusePort true if several listeners, one per loop, share the port and the kernel
///   distributes the connections
/// @param noDelay true to set `TCP_NODELAY` on the listener, which accepted sockets inherit
public record ListenOptions(int backlog, boolean reusePort, boolean noDelay) {
  public static final ListenOptions DEFAULT = new ListenOptions(4096, false, true);

  public ListenOptions {
    if (backlog < 1 || backlog > 65535) {
      throw new IllegalArgumentException("backlog must be 1 to 65535: " + backlog);
    }
  }

  public ListenOptions withReusePort(boolean value) {
    return new ListenOptions(backlog, value, noDelay);
  }
}
