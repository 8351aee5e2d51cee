package sluice.nio.descriptors;

import java.nio.channels.ClosedChannelException;
import sluice.loop.poller.DescriptorChannel;

/// What selectors need to know of a channel of ours. Any thread may call.
public interface SluiceChannel extends DescriptorChannel {
  ChannelCore core();

  boolean isOpen();

  /// For a [sluice.loop.poller.Poller]; negative once closed. What a selector's ring has received
  /// already does not make it ready: a channel belongs to one of the two at a time.
  @Override
  default int descriptor() {
    return isOpen() ? core().fd() : -1;
  }

  default void ensureOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  /// The `EPOLL` events that make these operations ready.
  int eventsFor(int operations);

  /// Which of the wanted operations such events make ready now.
  ///
  /// @param events `EPOLL` bits
  int readyFor(int events, int wanted);

  /// Operations that are ready without asking the kernel, because of what a ring has brought.
  default int readyHere() {
    return 0;
  }

  /// Whether a ring can do something for the channel, as it is now.
  default boolean isForRing() {
    return false;
  }

  /// Takes the channel away from the ring that has it, if one has.
  default void releaseRing() {}

  /// A selector has let go of the channel, which may have kept its descriptor for it.
  default void deregistered() {}
}
