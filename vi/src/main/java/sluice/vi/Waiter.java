package sluice.vi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Waits for a completion in one of the three modes. Stateless. The methods run on the waiting
/// thread.
final class Waiter {
  /// The number of polls between two reads of the clock, which must be a power of two.
  private static final int LOOKS = 64;

  /// The number of polls before the clock is read for the first time, since reading it is as
  /// expensive as several polls. Most messages from a running peer arrive within this number of
  /// polls. A full poll is counted as several.
  private static final int FIRST_LOOKS = 512;

  private static final int LOOKS_OF_A_POLL = 16;

  /// The number of polls without a spin-wait hint to the processor, which would delay the detection
  /// of an immediate answer.
  private static final int LOOKS_AT_ONCE = 64;

  /// The time for which a thread spins before it yields. The clock is used because a poll takes ten
  /// nanoseconds on one device but a system call on another. The time is much shorter than a time
  /// slice of the scheduler.
  private static final long YIELD_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /// A source of completions.
  interface Source {
    /// Returns a completed ticket, or null. An exception terminates the wait.
    @Nullable ViTicket poll() throws ViException;

    /// Returns true if reading memory is sufficient to determine that a poll would return nothing.
    /// Otherwise returns false.
    default boolean isQuiet() {
      return false;
    }

    /// Returns the value of [sluice.vi.device.Port#isPollLong].
    default boolean isPollLong() {
      return false;
    }

    /// Requests that the given thread be unparked.
    ///
    /// @return the maximum time to park, in nanoseconds
    long arm(Thread sleeper);

    void disarm();
  }

  private Waiter() {}

  /// Waits for a completion.
  ///
  /// @param micros the timeout, [Vi#INFINITE] to wait indefinitely, or 0 to poll once
  /// @return the ticket, or null if the timeout expires
  static @Nullable ViTicket await(Source source, ViAttributes how, int micros) throws ViException {
    ViTicket ticket = source.poll();
    if (ticket != null || micros == 0) {
      return ticket;
    }
    if (how.waiting() != WaitMode.PARK) {
      ticket = look(source);
      if (ticket != null) {
        return ticket;
      }
    }
    return await(source, how.waiting(), how, micros);
  }

  private static @Nullable ViTicket look(Source source) throws ViException {
    int looks = 0;
    int pausing = source.isPollLong() ? FIRST_LOOKS : LOOKS_AT_ONCE;
    while (looks < FIRST_LOOKS) {
      if (looks >= pausing) {
        Thread.onSpinWait();
      }
      if (source.isQuiet()) {
        looks++;
        continue;
      }
      ViTicket ticket = source.poll();
      if (ticket != null) {
        return ticket;
      }
      looks += LOOKS_OF_A_POLL;
    }
    return null;
  }

  private static @Nullable ViTicket await(
      Source source, WaitMode mode, ViAttributes how, int micros) throws ViException {
    long begin = System.nanoTime();
    long limit = micros < 0 ? Long.MAX_VALUE : TimeUnit.MICROSECONDS.toNanos(micros);
    long spin =
        switch (mode) {
          case SPIN -> limit;
          case HYBRID -> Math.min(limit, TimeUnit.MICROSECONDS.toNanos(how.spinMicros()));
          case PARK -> 0;
        };
    ViTicket ticket = spin(source, begin, spin);
    while (ticket == null) {
      long waited = System.nanoTime() - begin;
      if (waited >= limit) {
        return null;
      }
      ticket = park(source, limit - waited);
    }
    return ticket;
  }

  @SuppressWarnings("ThreadPriorityCheck") // yields so that a peer on the same processor can run
  private static @Nullable ViTicket spin(Source source, long begin, long nanos) throws ViException {
    long yielded = begin;
    for (int looks = 1; ; looks++) {
      if ((looks & (LOOKS - 1)) == 0) {
        long now = System.nanoTime();
        if (now - begin >= nanos) {
          return null;
        }
        checkInterrupt();
        if (now - yielded >= YIELD_NANOS) {
          Thread.yield();
          yielded = now;
        }
      } else if (nanos == 0) {
        return null;
      }
      Thread.onSpinWait();
      ViTicket ticket = source.isQuiet() ? null : source.poll();
      if (ticket != null) {
        return ticket;
      }
    }
  }

  private static @Nullable ViTicket park(Source source, long nanos) throws ViException {
    long most = source.arm(Thread.currentThread());
    try {
      ViTicket ticket = source.poll(); // what came before the peer could know of the sleeper
      if (ticket == null) {
        LockSupport.parkNanos(source, Math.min(nanos, most));
        checkInterrupt();
        ticket = source.poll();
      }
      return ticket;
    } finally {
      source.disarm();
    }
  }

  private static void checkInterrupt() throws ViException {
    if (Thread.currentThread().isInterrupted()) {
      throw new ViException("interrupted while a completion was waited for");
    }
  }
}
