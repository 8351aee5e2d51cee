package sluice.domain.portal;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.portal.copy.CopyQuota;

/// A party whose interrupts come late, when the thread may run another call.
final class LateParty extends PlainParty {
  private final ExecutorService others;
  private final AtomicLong late;

  /// Creates a party.
  ///
  /// @param others the threads that run the interrupts
  /// @param late counts the interrupts that have run
  LateParty(ExecutorService others, AtomicLong late) {
    super("late", LateParty.class.getClassLoader(), CopyQuota.STANDARD);
    this.others = others;
    this.late = late;
  }

  @Override
  public void aside(Runnable task) {
    others.execute(() -> {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000));
      task.run();
      late.incrementAndGet();
    });
  }
}
