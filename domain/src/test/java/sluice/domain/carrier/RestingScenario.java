package sluice.domain.carrier;

import java.util.concurrent.locks.LockSupport;
import sluice.domain.simulate.Simulation;

/// Threads sleep for short times and are woken in between, so that workers go to rest and wake all
/// the time, while they are stopped at any point and the watcher takes processors from them. Woven.
public final class RestingScenario extends CarrierScenario {
  private static final int LOOK_NANOS = 5_000;

  /// A worker that is stopped for so long loses its processor in between.
  private static final int STOP_NANOS = 500_000;

  private static final int SLEEP_NANOS = 100_000;
  private static final int ROUNDS = 12;

  /// For the loader.
  public RestingScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    carriers(1 + random.below(2), LOOK_NANOS, 1);
    random.freeze(20 + random.below(60), STOP_NANOS);
    if (random.oneIn(2)) {
      random.freezeStrands();
    }
    int queues = 1 + random.below(3);
    for (int i = 0; i < queues; i++) {
      Place of = place("queue " + i, QueueTerms.DEFAULT, null);
      Thread sleeper = thread(of, "sleeper " + i, this::sleepOften);
      sleeper.start();
      random.thread("wakes " + sleeper.getName(), () -> wakeOften(sleeper)).start();
    }
  }

  private void sleepOften() {
    for (int i = 0; i < ROUNDS; i++) {
      LockSupport.parkNanos(1 + simulation().below(SLEEP_NANOS));
    }
  }

  private void wakeOften(Thread sleeper) {
    for (int i = 0; i < ROUNDS; i++) {
      LockSupport.parkNanos(1 + simulation().below(SLEEP_NANOS));
      LockSupport.unpark(sleeper);
    }
  }
}
