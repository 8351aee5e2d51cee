package sluice.nio.descriptors;

import java.nio.channels.ClosedChannelException;
import sluice.loop.poller.DescriptorChannel;

/// A channel of Sluice, as selectors see it. Any thread may call.
public interface SluiceChannel extends DescriptorChannel {
  ChannelCore core();

  boolean isOpen();

  /// Returns the descriptor for a [sluice.loop.poller.Poller]; negative once closed. Bytes that a
  /// selector's ring has received already do not make it ready: a channel belongs to one of the two
  /// at a time.
  @Override
  default int descriptor() {
    return isOpen() ? core().fd() : -1;
  }

  default void ensureOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  /// Returns the `EPOLL` events that make these operations ready.
  int eventsFor(int operations);

  /// Returns the wanted operations that such events make ready now.
  ///
  /// @param events `EPOLL` bits
  int readyFor(int events, int wanted);

  /// Returns the operations that are ready without asking the kernel, because a ring has delivered
  /// input.
  default int readyHere() {
    return 0;
  }

  /// Returns true if a ring can serve the channel in its current state.
  default boolean isForRing() {
    return false;
  }

  /// Detaches the channel from its ring, if it has one.
  default void releaseRing() {}

  /// Handles the release of the channel by a selector, for which it may have kept its descriptor.
  default void deregistered() {}
}
