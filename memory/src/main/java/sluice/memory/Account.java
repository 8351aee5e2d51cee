package sluice.memory;

import java.util.concurrent.atomic.AtomicLong;
import sluice.memory.block.Budget;

/// A budget of bytes: what a cache, a connection or a domain may hold. Every block is charged to
/// one account and refunded when it is freed.
///
/// Any thread may call.
public final class Account implements Budget {
  private final String name;
  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  /// @param limitBytes most that may be charged at one time, at least 0
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

  /// Takes `bytes` from the budget, or nothing at all, also for a moment: other threads find no
  /// more used than the limit, and are not refused for what no caller got.
  ///
  /// @return false when the budget has no room; nothing was taken then
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

  /// Gives back what [#tryCharge] took.
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
