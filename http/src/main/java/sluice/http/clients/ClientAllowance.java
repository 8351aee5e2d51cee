package sluice.http.clients;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The connections and the remaining requests of one address. Shared by all loops that have
/// connections of it.
///
/// Requests are limited by the generic cell rate algorithm (ITU-T I.371), the virtual scheduling
/// form of a leaky bucket. Its state is one number, the time at which the bucket is empty again. A
/// request adds an interval to it, and is refused if that time lies more than a burst ahead. A
/// refused request adds nothing, so a client that sends too many requests still gets the average
/// rate.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `emptyNanos` | loops | volatile | compareAndSet |
/// | `connections` | loops | under the lock of the table | the same |
public final class ClientAllowance {
  private static final VarHandle EMPTY;

  static {
    try {
      EMPTY = MethodHandles.lookup().findVarHandle(ClientAllowance.class, "emptyNanos", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long key;
  int connections;
  private final long intervalNanos;
  private final long aheadNanos;
  private volatile long emptyNanos;

  ClientAllowance(long key, ClientLimits limits, long now) {
    this.key = key;
    this.emptyNanos = now;
    boolean limited = limits.limitsRequests();
    this.intervalNanos = limited ? 1_000_000_000L / limits.requestsPerSecond() : 0;
    this.aheadNanos = limited ? intervalNanos * (limits.burst() - 1) : 0;
  }

  /// Counts a request. Allocates nothing and takes no lock.
  ///
  /// @param now in nanoseconds, by the clock of the loops
  /// @return 0, or the time in nanoseconds that the client has to wait
  public long request(long now) {
    if (intervalNanos == 0) {
      return 0;
    }
    while (true) {
      long empty = emptyNanos;
      long ahead = Math.max(0, empty - now);
      if (ahead > aheadNanos) {
        return ahead - aheadNanos;
      }
      if (EMPTY.compareAndSet(this, empty, now + ahead + intervalNanos)) {
        return 0;
      }
    }
  }

  /// Returns true if it equals a new allowance.
  boolean settled(long now) {
    return emptyNanos - now <= 0;
  }
}
