package sluice.domain;

import java.util.HashSet;
import java.util.Set;

/// The thread that samples the budgets of domains and sees dying ones to their end. One per JVM,
/// started with the first domain that needs it; sleeps while none does.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | DOMAINS, started | any thread | under the lock of DOMAINS | under the lock of DOMAINS |
final class Warden {
  static final long PERIOD_MILLIS = 20;

  private static final Set<Domain> DOMAINS = new HashSet<>();
  private static boolean started;

  private Warden() {}

  /// Has [Domain#look] called every 20 ms until it says that it needs no more.
  static void watch(Domain domain) {
    synchronized (DOMAINS) {
      DOMAINS.add(domain);
      DOMAINS.notifyAll();
      if (!started) {
        started = true;
        Thread.ofPlatform().daemon().name("sluice-domains").start(Warden::run);
      }
    }
  }

  private static void run() {
    while (true) {
      try {
        Set<Domain> now;
        synchronized (DOMAINS) {
          while (DOMAINS.isEmpty()) {
            DOMAINS.wait();
          }
          now = new HashSet<>(DOMAINS);
        }
        for (Domain domain : now) {
          if (!domain.look()) {
            synchronized (DOMAINS) {
              DOMAINS.remove(domain);
            }
          }
        }
        now.clear();
        Thread.sleep(PERIOD_MILLIS);
      } catch (InterruptedException e) {
        // Nothing of ours interrupts this thread, and no domain knows it.
      }
    }
  }
}
