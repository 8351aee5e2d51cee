package sluice.domain;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.carrier.Carriers;

/// What the gates of a domain do when they look: hold its threads while its budget is overdrawn,
/// and have one yield when another thread waits for its processor.
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

  /// Holds this thread of the host never.
  void admit(Thread visitor) {
    visitors.add(visitor);
  }

  void close(boolean isClosed) {
    if (((asked & HOLD) != 0) != isClosed) {
      set(HOLD, isClosed);
    }
  }

  /// Has the virtual thread that comes to a gate first yield its carrier.
  void yieldSoon() {
    if ((asked & YIELD) == 0) {
      set(YIELD, true);
    }
  }

  /// Returns true if no virtual thread has come to a gate since one was to yield.
  boolean isToYield() {
    return (asked & YIELD) != 0;
  }

  /// By gates of a domain that was over its budget lately, or for whose processors others wait.
  @Override
  public void run() {
    int now = asked;
    if (now != 0) {
      answer(now);
    }
  }

  private void answer(int now) {
    if ((now & HOLD) != 0) {
      // A carrier runs what a verifier has bounded: PreemptionListener.
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

  /// Keeps the interrupt of a thread for what the thread does next.
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
