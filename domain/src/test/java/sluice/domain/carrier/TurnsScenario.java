package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.simulate.Simulation;

/// Queues of weights 1, 3 and 10, of which some have work all the time and others sleep: while the
/// only thread of a queue waits for its turn, each other queue uses no more of the processors than
/// it may be ahead by. Woven.
public final class TurnsScenario extends CarrierScenario {
  private static final int PIECE_NANOS = 500_000;
  private static final int[] WEIGHTS = {1, 1, 3, 10};

  /// Since a thread is ready, what other queues have used until then.
  private final IdentityHashMap<Thread, Map<Place, Long>> since = new IdentityHashMap<>();

  private final List<Place> busy = new ArrayList<>();
  private int processors;

  /// For the loader.
  public TurnsScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    processors = 1 + random.below(2);
    carriers(processors, 2_000_000, 1_000);
    int queues = 2 + random.below(3);
    for (int i = 0; i < queues; i++) {
      int weight = WEIGHTS[random.below(WEIGHTS.length)];
      QueueTerms terms = QueueTerms.DEFAULT.withWeight(weight);
      boolean isPinned = random.oneIn(4);
      terms = isPinned ? terms.on(Set.of(random.below(processors))) : terms;
      Place of = place("weight " + weight + "." + i, terms, null);
      boolean isBusy = i == 0 || random.oneIn(2);
      int pieces = isBusy ? 10 + 10 * weight : 10;
      if (isBusy && !isPinned) {
        busy.add(of);
      }
      thread(of, of.queue() + "", () -> work(pieces, isBusy)).start();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // so that others have their turn
  private void work(int pieces, boolean isBusy) {
    Simulation random = simulation();
    for (int i = 0; i < pieces; i++) {
      random.spend(PIECE_NANOS / 2 + random.below(PIECE_NANOS / 3));
      if (isBusy) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(random.below(4_000_000));
      }
    }
  }

  @Override
  public void ready(Thread thread) {
    Map<Place, Long> used = new HashMap<>();
    for (Place each : places()) {
      used.put(each, used(each));
    }
    since.put(thread, used);
  }

  @Override
  public void begins(Thread thread, Thread carrier) {
    super.begins(thread, carrier);
    Map<Place, Long> before = since.remove(thread);
    Place own = placeOf(thread);
    if (before == null) {
      wrong(thread.getName() + " was not ready");
      return;
    }
    for (Place each : places()) {
      long used = used(each) - before.getOrDefault(each, 0L);
      long most = mostBefore(own, each, PIECE_NANOS);
      if (each != own && used > most) {
        wrong(each.queue() + " used " + used + " ns, not " + most + ", before " + own.queue());
      }
    }
  }
}
