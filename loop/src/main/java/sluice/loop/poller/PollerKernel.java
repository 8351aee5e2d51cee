package sluice.loop.poller;

/// A kernel mechanism for a [Poller], which tracks the entries of a [PollerTable] and reports the
/// ready ones. The calling thread is given at each method; "locked" means under the poller's lock.
abstract class PollerKernel implements AutoCloseable {
  final PollerTable table;

  PollerKernel(PollerTable table) {
    this.table = table;
  }

  /// Returns the name: `io_uring`, `epoll`, `poll`, or the name of a port.
  abstract String name();

  /// Checks that a descriptor that is not yet a member can be watched. Any thread, locked, before
  /// it has a slot.
  ///
  /// @return 0, -EBADF or -EPERM
  abstract int check(int fd);

  /// Adds a new entry. Any thread, locked.
  ///
  /// @return 0, or a negative errno: then the entry is removed at once
  abstract int added(int slot);

  /// Removes an entry, whose slot is still its own. Any thread, locked.
  abstract void removed(int slot);

  /// Applies a change of the entry's interest, now or in [#prepare]. Any thread, locked.
  ///
  /// @param waiting true if a thread is in [#await], or about to enter it, with its prepared state
  abstract void changed(int slot, boolean waiting);

  /// Returns true if a change that [#added], [#removed] or [#changed] has deferred must interrupt a
  /// wait.
  abstract boolean interrupts();

  /// Applies all deferred changes. The awaiting thread, locked.
  abstract void prepare();

  /// Waits for events. The awaiting thread, not locked: other threads change the table meanwhile.
  ///
  /// @param max the most events that will be collected
  /// @param timeoutNanos 0 does not wait, negative waits without limit; may end early
  abstract void await(int max, long timeoutNanos);

  /// Reports the events found by [#await], at most `max`; the remaining ones come first next time.
  /// The awaiting thread, locked.
  abstract void collect(PollerEvents into, int max);

  /// Ends the current or the next [#await]. Any thread, but not after [#close].
  abstract void wake();

  /// Returns the time of the clock that measures timeouts.
  long nanos() {
    return System.nanoTime();
  }

  /// Returns the number of system calls made so far; approximate while other threads work.
  abstract long calls();

  @Override
  public abstract void close();
}
