package sluice.domain.carrier;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.simulate.Simulation;

/// Threads of one queue compute for long; that of another sleeps. If its turn is clearly earlier it
/// gets a processor without waiting for a look of the watcher: where the others yield when they are
/// asked, which makes no queue a stubborn one, and where they do not, once that is known. Woven.
public final class StubbornScenario extends CarrierScenario {
  private static final int LOOK_NANOS = 150_000_000;

  /// The watcher and a spare worker need some steps, beside each of which threads compute; without
  /// haste it takes a whole look, at least.
  private static final int MOST_NANOS = LOOK_NANOS - LOOK_NANOS / 10;

  /// So often it has to be found.
  private static final int ENOUGH = 2;

  private static final int MOST_ROUNDS = 30;
  private static final int ROUNDS = 8;
  private static final int PIECE_NANOS = 100_000;

  /// The turn of a queue is clearly earlier by more than this.
  private static final int CLEAR_NANOS = 1_000_000;

  private @Nullable Place computing;
  private @Nullable Place polite;
  private boolean isStubborn;
  private long readyNanos;
  private boolean isHurried;
  private int hurried;
  private boolean isOver;

  /// For the loader.
  public StubbornScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    int processors = 1 + random.below(2);
    carriers(processors, LOOK_NANOS, 1 + random.below(5));
    isStubborn = !random.oneIn(4);
    Place others = place("computing", QueueTerms.DEFAULT, null);
    Place sleeping = place("polite", QueueTerms.DEFAULT, null);
    computing = others;
    polite = sleeping;
    int threads = processors + 1 + random.below(2);
    for (int i = 0; i < threads; i++) {
      thread(others, "computes " + i, () -> compute(others)).start();
    }
    thread(sleeping, "polite", this::sleepOften).start();
  }

  @SuppressWarnings("ThreadPriorityCheck") // so that it is charged, and others run
  private void compute(Place of) {
    simulation().spend(5_000_000);
    Thread.yield();
    while (!isOver) {
      long nanos = (3L + simulation().below(3)) * LOOK_NANOS;
      for (long left = nanos; left > 0; left -= PIECE_NANOS) {
        simulation().spend(PIECE_NANOS);
        if (!isStubborn && of.isAsked()) {
          Carriers.makeRoom();
        }
      }
      Thread.yield();
    }
  }

  private void sleepOften() {
    for (int i = 0; isStubborn ? i < MOST_ROUNDS && hurried < ENOUGH : i < ROUNDS; i++) {
      LockSupport.parkNanos(simulation().below(2 * LOOK_NANOS));
      simulation().spend(simulation().below(PIECE_NANOS));
    }
    isOver = true;
  }

  @Override
  public void ready(Thread thread) {
    Place others = computing;
    Place sleeping = polite;
    if (others != null && sleeping != null && placeOf(thread) == sleeping) {
      readyNanos = System.nanoTime();
      RunQueue queue = others.queue();
      if (!isStubborn && queue.isStubborn()) {
        wrong("a queue whose threads yield is stubborn");
      }
      long ahead = queue.turnNanos() - sleeping.queue().turnNanos() - PIECE_NANOS;
      boolean isKnown = !isStubborn || queue.isStubborn();
      isHurried = isKnown && ahead > 2 * CLEAR_NANOS && runsAlone(queue);
    }
  }

  private boolean runsAlone(RunQueue queue) {
    return processors().stream()
        .map(Processor::worker)
        .allMatch(each -> each != null && each.meter().current() == queue);
  }

  @Override
  public void begins(Thread thread, Thread carrier) {
    super.begins(thread, carrier);
    if (placeOf(thread) == polite && isHurried) {
      long waited = System.nanoTime() - readyNanos;
      hurried++;
      if (waited > MOST_NANOS) {
        wrong(thread.getName() + " waited for " + waited + " ns");
      }
    }
  }

  @Override
  public void check() {
    if (hurried < ENOUGH) {
      wrong("it was not to be waited for " + hurried + " times only");
    }
    super.check();
  }
}
