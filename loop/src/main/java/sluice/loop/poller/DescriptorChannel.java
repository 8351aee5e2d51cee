package sluice.loop.poller;

/// A channel that exposes its descriptor, so that a [Poller] can watch it without any JVM flags.
/// Any thread may call.
public interface DescriptorChannel {
  /// Returns the descriptor's number, or -1 once it is closed.
  int descriptor();
}
