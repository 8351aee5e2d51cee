package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.simulate.Simulation;

/// Two threads hand over to each other all the time, beside queues that always have work, on one
/// processor: what is handed over runs next, but for one in 65, which waits for its turn: so the
/// others wait for no more than 64 pieces beside their turns. Woven.
public final class HandOverScenario extends CarrierScenario {
  private static final int MOST_HANDED = 64;
  private static final int PIECE_NANOS = 400_000;

  private final AtomicInteger turn = new AtomicInteger();
  private final List<Thread> both = new ArrayList<>();
  private @Nullable Thread handed;
  private int sinceListed;
  private boolean isHandingOver;
  private final IdentityHashMap<Thread, Long> since = new IdentityHashMap<>();

  /// For the loader.
  public HandOverScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    carriers(1, 2_000_000, 1_000);
    int rounds = 180 + random.below(100);
    for (int i = 0; i < 2; i++) {
      int mine = i;
      Place of = place("pair " + i, QueueTerms.DEFAULT, null);
      both.add(thread(of, "pair " + i, () -> handOver(mine, rounds)));
    }
    both.forEach(each -> each.start());
    int others = 1 + random.below(2);
    for (int i = 0; i < others; i++) {
      Place of =
          place(
              "beside " + i,
              random.oneIn(4) ? QueueTerms.DEFAULT.cooperative() : QueueTerms.DEFAULT,
              null);
      thread(of, "beside " + i, () -> yieldAlways(rounds)).start();
    }
  }

  private void handOver(int mine, int rounds) {
    for (int n = turn.get(); n < rounds; n = turn.get()) {
      if (n % 2 != mine) {
        LockSupport.park();
      } else {
        simulation().spend(simulation().below(PIECE_NANOS));
        turn.incrementAndGet();
        isHandingOver = true;
        Carriers.handOver(both.get(1 - mine));
        isHandingOver = false;
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // so that others have their turn
  private void yieldAlways(int rounds) {
    while (turn.get() < rounds) {
      simulation().spend(simulation().below(PIECE_NANOS));
      Thread.yield();
    }
  }

  private long usedByPair() {
    return used(places().get(0)) + used(places().get(1));
  }

  private long mostBefore(Place waits) {
    long byTurn =
        mostBefore(waits, places().get(0), PIECE_NANOS)
            + mostBefore(waits, places().get(1), PIECE_NANOS);
    return byTurn + MOST_HANDED * PIECE_NANOS;
  }

  @Override
  public void ready(Thread thread) {
    if (!both.contains(thread)) {
      since.put(thread, usedByPair());
    }
    if (isHandingOver && both.contains(thread) && sinceListed < MOST_HANDED) {
      handed = thread;
    }
  }

  @Override
  public void begins(Thread thread, Thread carrier) {
    super.begins(thread, carrier);
    boolean isListed = !both.contains(thread);
    sinceListed = isListed ? 0 : sinceListed + 1;
    Long before = since.remove(thread);
    if (isListed && before != null && usedByPair() - before > mostBefore(placeOf(thread))) {
      wrong("a pair used " + (usedByPair() - before) + " ns before " + thread.getName());
    }
    if (thread == handed) {
      handed = null;
    } else if (handed != null) {
      wrong(thread.getName() + " ran before " + handed.getName() + ", which was handed over");
    }
  }
}
