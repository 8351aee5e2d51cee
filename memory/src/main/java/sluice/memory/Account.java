package sluice.memory;

import java.util.concurrent.atomic.AtomicLong;
import sluice.memory.block.Budget;

/// A limit on the bytes that a cache, a connection or a domain may hold. Every block is charged to
/// one account and refunded when it is freed.
///
/// Safe for use by any thread.
public final class Account implements Budget {
  private final String name;
  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  /// Creates an account.
  ///
  /// @param limitBytes the most that may be charged at a time, at least 0
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

  /// Charges `bytes` to the account if they fit into the limit. The used bytes never exceed the
  /// limit, not even briefly, so no other thread is rejected because of a failed charge.
  ///
  /// @return false if the account has no room; nothing is charged then
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

  /// Refunds bytes that [#tryCharge] charged.
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
