package sluice.http.clients;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The number of connections and the remaining requests of one address. It is shared by all loops
/// that have connections from this address.
///
/// Requests are limited by the generic cell rate algorithm (ITU-T I.371), the virtual scheduling
/// form of a leaky bucket. Its state is one number, the time at which the bucket is empty again.
/// Each request adds an interval to it, and is refused if that time would be more than a burst
/// ahead. A refused request adds nothing, so a client that sends too many requests is still served
/// at the average rate.
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

  /// Counts a request. This method neither allocates memory nor acquires a lock.
  ///
  /// @param now the time in nanoseconds according to the clock of the loops
  /// @return 0, or the time in nanoseconds for which the client has to wait
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

  /// Returns true if this allowance is equivalent to a new one.
  boolean settled(long now) {
    return emptyNanos - now <= 0;
  }
}
