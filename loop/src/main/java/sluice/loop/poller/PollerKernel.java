package sluice.loop.poller;

/// What a [Poller] needs of the kernel: one mechanism that learns the entries of a [PollerTable]
/// and tells which are ready. The calling thread is said at each method; "locked" means under the
/// poller's lock.
abstract class PollerKernel implements AutoCloseable {
  final PollerTable table;

  PollerKernel(PollerTable table) {
    this.table = table;
  }

  /// `io_uring`, `epoll`, `poll`, or what a port calls itself.
  abstract String name();

  /// Whether a descriptor, no member yet, can be watched. Any thread, locked, before it has a slot.
  ///
  /// @return 0, -EBADF or -EPERM
  abstract int check(int fd);

  /// Takes a new entry. Any thread, locked.
  ///
  /// @return 0, or a negative errno: then the entry goes at once
  abstract int added(int slot);

  /// Forgets an entry, whose slot is still its own. Any thread, locked.
  abstract void removed(int slot);

  /// Takes over the entry's interest, now or with [#prepare]. Any thread, locked.
  ///
  /// @param waiting whether a thread is in [#await], or about to be, with what it has prepared
  abstract void changed(int slot, boolean waiting);

  /// Whether a change that [#added], [#removed] or [#changed] has put off must interrupt a wait.
  abstract boolean interrupts();

  /// Hands over all changes that were put off. The awaiting thread, locked.
  abstract void prepare();

  /// Waits. The awaiting thread, not locked: other threads change the table meanwhile.
  ///
  /// @param max most events that will be collected
  /// @param timeoutNanos 0 does not wait, negative waits without limit; may end early
  abstract void await(int max, long timeoutNanos);

  /// Reports what [#await] found, at most `max`, so that the rest comes first next time. The
  /// awaiting thread, locked.
  abstract void collect(PollerEvents into, int max);

  /// Ends the current or the next [#await]. Any thread, but not after [#close].
  abstract void wake();

  /// The clock that time limits are measured with.
  long nanos() {
    return System.nanoTime();
  }

  /// System calls made so far; approximate while others work.
  abstract long calls();

  @Override
  public abstract void close();
}
