package sluice.nio;

/// What selectors need to know of a channel of ours. Any thread may call.
interface SluiceChannel {
  ChannelCore core();

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

  /// Prepares a channel that a ring can move bytes for.
  ///
  /// @return whether it is one, now
  default boolean prepareForRing() {
    return false;
  }

  /// Takes the channel away from the ring that has it, if one has.
  default void releaseRing() {}
}
