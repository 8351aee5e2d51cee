package sluice.domain.simulate.woven;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.portal.CallCancelled;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.PartyEnded;
import sluice.domain.portal.PortalRevoked;
import sluice.domain.portal.Portals;
import sluice.domain.simulate.Scenario;
import sluice.domain.simulate.Simulation;

/// Threads of two parties call a service by its portal, and a service that calls back; in some runs
/// the service's party ends, callers are interrupted, or the portal is revoked.
public final class PortalScenario implements Scenario {
  private static final int CALLERS = 3;
  private static final int EACH = 3;

  /// A service.
  public interface Counter {
    /// Returns the number after one was added.
    int add(int number);

    /// Calls back.
    int through(Counter other, int number);
  }

  private final List<String> wrong = new ArrayList<>();
  private final Portals portals = new Portals(CallPath.SERVICE);
  private int most;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  /// For the loader.
  public PortalScenario() {}

  /// Of the party that calls.
  private static final class Mine implements Counter {
    @Override
    public int add(int number) {
      return number + 1;
    }

    @Override
    public int through(Counter other, int number) {
      return number;
    }
  }

  private final class Service implements Counter {
    private final boolean waits;

    Service(boolean waits) {
      this.waits = waits;
    }

    @Override
    public int add(int number) {
      int now = running.incrementAndGet();
      if (now > most) {
        wrong.add(now + " run at once");
      }
      if (waits) {
        LockSupport.parkNanos(1);
      }
      int _ = running.decrementAndGet();
      return number + 1;
    }

    @Override
    public int through(Counter other, int number) {
      return other.add(number) + 1;
    }
  }

  @Override
  public void begin(Simulation simulation) {
    most = 1 + simulation.below(3);
    SimulatedParty server = new SimulatedParty(simulation, "server");
    SimulatedParty client = new SimulatedParty(simulation, "client");
    Service service = new Service(simulation.below(2) == 0);
    portals.register(server, "counter", Counter.class, service, CallPath.SERVICE, most);
    Counter portal = portals.lookup(client, "counter", Counter.class).orElseThrow();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      Thread caller = simulation.thread("caller " + i, () -> call(simulation, portal));
      callers.add(caller);
      caller.start();
    }
    switch (simulation.below(4)) {
      case 0 -> simulation.thread("ends", server::end).start();
      case 1 -> simulation.thread("interrupts", () -> callers.getFirst().interrupt()).start();
      case 2 -> simulation.thread("revokes", () -> portals.revoke(server, service)).start();
      default -> {
        // all goes well
      }
    }
  }

  private void call(Simulation simulation, Counter portal) {
    for (int i = 0; i < EACH; i++) {
      int _ = begun.incrementAndGet();
      try {
        boolean isBack = simulation.below(3) == 0;
        int got = isBack ? portal.through(new Mine(), i) : portal.add(i);
        if (got != (isBack ? i + 2 : i + 1)) {
          wrong.add(i + " became " + got);
        }
      } catch (PartyEnded | PortalRevoked | CallCancelled e) {
        boolean _ = Thread.interrupted();
      } finally {
        int _ = ended.incrementAndGet();
      }
    }
  }

  @Override
  public void check() {
    if (begun.get() != ended.get() || begun.get() != CALLERS * EACH) {
      wrong.add(begun.get() + " calls have begun, " + ended.get() + " have ended");
    }
    if (!wrong.isEmpty()) {
      throw new AssertionError(wrong.toString());
    }
  }
}
