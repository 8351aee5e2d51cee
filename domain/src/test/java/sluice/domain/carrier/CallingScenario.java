package sluice.domain.carrier;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.simulate.Simulation;

/// Threads of domains whose schedulers hear of calls call one another, and stay on their carrier
/// while they wait or not; they are stopped at any point, and the watcher takes processors from
/// them. Woven.
public final class CallingScenario extends CarrierScenario {
  private static final int LOOK_NANOS = 5_000;

  /// A thread that is stopped for so long loses its processor in between.
  private static final int STOP_NANOS = 500_000;

  /// For the loader.
  public CallingScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    carriers(1 + random.below(2), LOOK_NANOS, 1);
    random.freeze(20 + random.below(60), STOP_NANOS);
    random.freezeStrands();
    int domains = 1 + random.below(2);
    for (int i = 0; i < domains; i++) {
      Place _ = place("domain " + i, QueueTerms.DEFAULT, new Choosing.Called());
    }
    int pairs = 1 + random.below(2);
    for (int i = 0; i < pairs; i++) {
      pair(i);
    }
  }

  private void pair(int number) {
    int rounds = 2 + simulation().below(4);
    AtomicInteger turn = new AtomicInteger();
    Thread[] both = new Thread[2];
    for (int i = 0; i < 2; i++) {
      int mine = i;
      Place of = places().get(simulation().below(places().size()));
      both[i] =
          thread(
              of,
              "pair " + number + "." + i,
              () -> {
                for (int n = turn.get(); n < rounds; n = turn.get()) {
                  if (n % 2 != mine) {
                    await();
                  } else {
                    turn.incrementAndGet();
                    call(both[1 - mine]);
                  }
                }
              });
    }
    both[0].start();
    both[1].start();
  }

  private void await() {
    if (simulation().oneIn(2)) {
      simulation().pinned(() -> LockSupport.park());
    } else {
      LockSupport.park();
    }
  }
}
