package sluice.domain;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.carrier.Carriers;

/// The check performed by active gates of a domain. It holds threads of the domain while its budget
/// is exceeded, and makes a thread yield if another thread waits for its processor.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | visitors | threads of the host | concurrent set, at gates that hold | concurrent set |
/// | asked | the warden's thread; the thread that ends the domain; the watcher of carriers, threads that wake others; gates | volatile, at gates | under the lock |
final class Throttle implements Runnable {
  private static final long LOOK_NANOS = 1_000_000;

  private static final int HOLD = 1;
  private static final int YIELD = 2;

  private final Set<Thread> visitors = ConcurrentHashMap.newKeySet();
  private volatile int asked;

  private synchronized void set(int what, boolean isSet) {
    asked = isSet ? asked | what : asked & ~what;
  }

  /// Exempts a thread of the host from being held.
  void admit(Thread visitor) {
    visitors.add(visitor);
  }

  void close(boolean isClosed) {
    if (((asked & HOLD) != 0) != isClosed) {
      set(HOLD, isClosed);
    }
  }

  /// Makes the next virtual thread that reaches a gate yield its carrier.
  void yieldSoon() {
    if ((asked & YIELD) == 0) {
      set(YIELD, true);
    }
  }

  /// Returns true if no virtual thread has reached a gate since [#yieldSoon].
  boolean isToYield() {
    return (asked & YIELD) != 0;
  }

  /// Performs a single check. Called by gates of a domain that was recently over its budget, or for
  /// whose processors other threads wait.
  @Override
  public void run() {
    int now = asked;
    if (now != 0) {
      answer(now);
    }
  }

  private void answer(int now) {
    if ((now & HOLD) != 0) {
      // Carriers only run code with a verified bound, see PreemptionListener.
      if (!Carriers.isCarrier() && !visitors.contains(Thread.currentThread())) {
        hold();
      }
    } else if (Thread.currentThread().isVirtual()) {
      if (!Carriers.runsBeside()) {
        set(YIELD, false);
      }
      Carriers.makeRoom();
    }
  }

  /// Waits until the domain is within its budget. An interrupt is preserved for the thread's next
  /// wait.
  private void hold() {
    boolean wasInterrupted = false;
    while ((asked & HOLD) != 0) {
      LockSupport.parkNanos(this, LOOK_NANOS);
      wasInterrupted |= Thread.interrupted();
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
