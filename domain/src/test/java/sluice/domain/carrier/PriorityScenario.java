package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.simulate.Simulation;

/// A domain's scheduler chooses by priority: while its first thread is ready, of the others begin
/// only those that were chosen before, and those that it chooses in the call that runs meanwhile:
/// two for each processor at most. Woven.
public final class PriorityScenario extends CarrierScenario {
  private static final String FIRST = "a first";

  /// While they are ready, how many others of the domain have begun.
  private final IdentityHashMap<Thread, Integer> begun = new IdentityHashMap<>();

  private final List<Thread> firsts = new ArrayList<>();
  private @Nullable Place domain;
  private int most;

  /// For the loader.
  public PriorityScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    int processors = 1 + random.below(3);
    most = 2 * processors;
    carriers(processors, 2_000_000, 1_000);
    QueueTerms terms = random.oneIn(4) ? QueueTerms.DEFAULT.cooperative() : QueueTerms.DEFAULT;
    Place own = place("domain", terms, new Choosing(true));
    domain = own;
    Place other = place("neighbour", QueueTerms.DEFAULT, null);
    Thread first = thread(own, FIRST, this::sleepOften);
    firsts.add(first);
    int lows = 2 + random.below(4);
    for (int i = 0; i < lows; i++) {
      thread(own, "low " + i, this::yieldOften).start();
    }
    first.start();
    thread(other, "neighbour", this::yieldOften).start();
    random.thread("outside", () -> wake(first)).start();
  }

  private void sleepOften() {
    for (int i = 0; i < 8; i++) {
      simulation().spend(simulation().below(50_000));
      LockSupport.parkNanos(simulation().below(400_000));
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // so that others have their turn
  private void yieldOften() {
    for (int i = 0; i < 15; i++) {
      simulation().spend(simulation().below(200_000));
      Thread.yield();
    }
  }

  private void wake(Thread first) {
    for (int i = 0; i < 5; i++) {
      LockSupport.parkNanos(simulation().below(300_000));
      LockSupport.unpark(first);
    }
  }

  @Override
  public void ready(Thread thread) {
    if (firsts.contains(thread)) {
      begun.put(thread, 0);
    }
  }

  @Override
  public void begins(Thread thread, Thread carrier) {
    super.begins(thread, carrier);
    Integer _ = begun.remove(thread);
    Place own = domain;
    boolean isLow = own != null && placeOf(thread) == own && !isOfScheduler(own, thread);
    if (!isLow || firsts.contains(thread)) {
      return;
    }
    for (Map.Entry<Thread, Integer> each : begun.entrySet()) {
      each.setValue(each.getValue() + 1);
      if (each.getValue() > most) {
        wrong(each.getValue() + " others began before " + each.getKey().getName());
      }
    }
  }

  private static boolean isOfScheduler(Place own, Thread thread) {
    LocalScheduler local = own.local();
    return local != null && local.thread() == thread;
  }
}
