package sluice.domain;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import sluice.sys.threads.HostThread;

/// The thread that samples the budgets of domains and completes the termination of dying domains.
/// There is one per JVM, which is started with the first domain that needs it and sleeps while no
/// domain does. An exception thrown by one check is reported to the handler of uncaught exceptions,
/// and the other checks continue.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | LOOKS, started | any thread | under the lock of LOOKS | under the lock of LOOKS |
final class Warden {
  static final long PERIOD_MILLIS = 20;

  private static final Set<BooleanSupplier> LOOKS = new HashSet<>();
  private static boolean started;

  private Warden() {}

  /// Calls a check every 20 ms until it returns false. The same check is never added twice.
  static void watch(BooleanSupplier look) {
    synchronized (LOOKS) {
      LOOKS.add(look);
      LOOKS.notifyAll();
      if (!started) {
        started = true;
        HostThread.daemon("sluice-domains", Warden::run).start();
      }
    }
  }

  private static void run() {
    while (true) {
      try {
        Set<BooleanSupplier> now;
        synchronized (LOOKS) {
          while (LOOKS.isEmpty()) {
            LOOKS.wait();
          }
          now = new HashSet<>(LOOKS);
        }
        for (BooleanSupplier look : now) {
          if (!isNeeded(look)) {
            synchronized (LOOKS) {
              LOOKS.remove(look);
            }
          }
        }
        now.clear();
        Thread.sleep(PERIOD_MILLIS);
      } catch (InterruptedException e) {
        // This module never interrupts this thread, and it is not visible to any domain.
      }
    }
  }

  private static boolean isNeeded(BooleanSupplier look) {
    try {
      return look.getAsBoolean();
    } catch (RuntimeException | Error e) {
      Thread here = Thread.currentThread();
      here.getUncaughtExceptionHandler().uncaughtException(here, e);
      return true;
    }
  }
}
