package sluice.loop.poller;

/// A channel that tells which descriptor it works on, so that a [Poller] can watch it without any
/// flag of the JVM. Any thread may ask.
public interface DescriptorChannel {
  /// The descriptor's number, or -1 once it is closed.
  int descriptor();
}
