package sluice.nio.descriptors;

import java.nio.channels.ClosedChannelException;
import sluice.loop.poller.DescriptorChannel;

/// A channel of Sluice as seen by selectors. Any thread may call it.
public interface SluiceChannel extends DescriptorChannel {
  ChannelCore core();

  boolean isOpen();

  /// Returns the descriptor for use by a [sluice.loop.poller.Poller], or a negative number if the
  /// channel is closed. Bytes that the ring of a selector has already received do not make the
  /// descriptor ready, so a channel must not be used by a poller and a ring at the same time.
  @Override
  default int descriptor() {
    return isOpen() ? core().fd() : -1;
  }

  default void ensureOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  /// Returns the `EPOLL` events that indicate readiness for the given operations.
  int eventsFor(int operations);

  /// Returns the subset of the wanted operations that are ready according to the given events.
  ///
  /// @param events `EPOLL` bits
  int readyFor(int events, int wanted);

  /// Returns the operations that are known to be ready without querying the kernel because a ring
  /// has already delivered input.
  default int readyHere() {
    return 0;
  }

  /// Returns true if a ring can serve the channel in its current state.
  default boolean isForRing() {
    return false;
  }

  /// Detaches the channel from its ring if it has one.
  default void releaseRing() {}

  /// Notifies the channel that a selector has released it. If the descriptor was kept open for that
  /// selector, it may now be closed.
  default void deregistered() {}
}
