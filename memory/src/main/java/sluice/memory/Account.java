package sluice.memory;

import java.util.concurrent.atomic.AtomicLong;
import sluice.memory.block.Budget;

/// A limit on the number of bytes that a cache, a connection or a domain may hold. Each block is
/// charged to exactly one account and is refunded when it is freed.
///
/// This class is thread-safe.
public final class Account implements Budget {
  private final String name;
  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  /// Creates an account.
  ///
  /// @param limitBytes the maximum number of bytes that may be charged at the same time, at least 0
  public Account(String name, long limitBytes) {
    if (limitBytes < 0) {
      throw new IllegalArgumentException("limitBytes must not be negative: " + limitBytes);
    }
    this.name = name;
    this.limitBytes = limitBytes;
  }

  public String name() {
    return name;
  }

  public long limitBytes() {
    return limitBytes;
  }

  public long usedBytes() {
    return usedBytes.get();
  }

  /// Charges the given number of bytes to this account if they fit within the limit. The number of
  /// used bytes never exceeds the limit, not even temporarily, so a charge that fails cannot cause
  /// another thread's charge to be rejected.
  ///
  /// @return false if the account does not have enough room, in which case nothing is charged
  @Override
  public boolean tryCharge(long bytes) {
    long used = usedBytes.get();
    while (bytes <= limitBytes - used) {
      long met = usedBytes.compareAndExchange(used, used + bytes);
      if (met == used) {
        return true;
      }
      used = met;
    }
    return false;
  }

  /// Refunds bytes that were charged by [#tryCharge].
  @Override
  public void refund(long bytes) {
    long left = usedBytes.addAndGet(-bytes);
    assert left >= 0 : name + " was refunded more than it was charged";
  }

  @Override
  public String toString() {
    return name + ": " + usedBytes() + " of " + limitBytes + " bytes";
  }
}
