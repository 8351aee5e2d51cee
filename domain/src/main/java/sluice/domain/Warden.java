package sluice.domain;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import sluice.sys.threads.HostThread;

/// The thread that samples the budgets of domains and drives dying domains to their end. There is
/// one per JVM, started with the first domain that needs it; it sleeps while no domain does. An
/// exception of one look is reported to the handler of uncaught exceptions, and the other looks go
/// on.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | LOOKS, started | any thread | under the lock of LOOKS | under the lock of LOOKS |
final class Warden {
  static final long PERIOD_MILLIS = 20;

  private static final Set<BooleanSupplier> LOOKS = new HashSet<>();
  private static boolean started;

  private Warden() {}

  /// Calls a look every 20 ms until it returns false. A look is never added twice.
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
        // This module never interrupts this thread, and no domain knows it.
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
