package sluice.loop.poller;

/// A kernel mechanism for a [Poller], which tracks the entries of a [PollerTable] and reports the
/// ready ones. Each method specifies the calling thread; "locked" means that the caller holds the
/// poller's lock.
abstract class PollerKernel implements AutoCloseable {
  final PollerTable table;

  PollerKernel(PollerTable table) {
    this.table = table;
  }

  /// Returns the name: `io_uring`, `epoll`, `poll`, or the name of a port.
  abstract String name();

  /// Checks that a descriptor that is not yet registered can be watched. Called by any thread,
  /// locked, before the descriptor has a slot.
  ///
  /// @return 0, -EBADF or -EPERM
  abstract int check(int fd);

  /// Adds a new entry. Called by any thread, locked.
  ///
  /// @return 0, or a negative errno, in which case the entry is removed immediately
  abstract int added(int slot);

  /// Removes an entry, which still owns its slot. Called by any thread, locked.
  abstract void removed(int slot);

  /// Applies a change of the entry's interest, either now or in [#prepare]. Called by any thread,
  /// locked.
  ///
  /// @param waiting true if a thread is in [#await], or has prepared its state and is about to
  ///   enter it
  abstract void changed(int slot, boolean waiting);

  /// Returns true if a change that [#added], [#removed] or [#changed] has deferred must interrupt a
  /// wait.
  abstract boolean interrupts();

  /// Applies all deferred changes. Called by the waiting thread, locked.
  abstract void prepare();

  /// Waits for events. Called by the waiting thread without the lock, so other threads may change
  /// the table in the meantime.
  ///
  /// @param max the maximum number of events that will be collected
  /// @param timeoutNanos the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit; the wait may end early
  abstract void await(int max, long timeoutNanos);

  /// Reports the events found by [#await], at most `max`. The remaining events are reported first
  /// by the next call. Called by the waiting thread, locked.
  abstract void collect(PollerEvents into, int max);

  /// Ends the current or the next [#await]. May be called by any thread, but not after [#close].
  abstract void wake();

  /// Returns the time of the clock that measures timeouts.
  long nanos() {
    return System.nanoTime();
  }

  /// Returns the number of system calls made so far. The result is approximate while other threads
  /// are active.
  abstract long calls();

  @Override
  public abstract void close();
}
