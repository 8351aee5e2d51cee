package sluice.acceptance.stress;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Portals;

/// The service of the tests of portals. One instance for each state; the service's thread runs it.
public final class Adder {
  private static final StressParty SERVER = new StressParty("server");
  private static final StressParty CLIENT = new StressParty("client");
  private static final Portals PORTALS = new Portals(CallPath.SERVICE);
  private static final AtomicInteger NAMES = new AtomicInteger();

  /// What its portals have.
  public interface Adds {
    /// The sum, after some time; -1 when the thread of the service was interrupted at the
    /// beginning.
    long add(long[] terms);
  }

  private record Sum() implements Adds {
    @Override
    public long add(long[] terms) {
      if (Thread.currentThread().isInterrupted()) {
        return -1;
      }
      long sum = 0;
      for (long term : terms) {
        sum += term;
        Thread.onSpinWait();
      }
      return sum;
    }
  }

  private final Adds service = new Sum();

  Adds portal() {
    String name = "adder " + NAMES.getAndIncrement();
    PORTALS.register(SERVER, name, Adds.class, service, CallPath.SERVICE);
    Adds portal = PORTALS.lookup(CLIENT, name, Adds.class).orElseThrow();
    PORTALS.unregister(SERVER, name);
    return portal;
  }

  void revoke() {
    PORTALS.revoke(SERVER, service);
  }

  static long[] terms() {
    long[] terms = new long[16];
    Arrays.setAll(terms, i -> i + 1);
    return terms;
  }
}
