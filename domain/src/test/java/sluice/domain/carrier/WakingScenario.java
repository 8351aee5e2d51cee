package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.schedule.Scheduler;
import sluice.domain.simulate.Simulation;

/// Pairs of threads of all kinds of queues wake one another, by hand-over, call and otherwise;
/// between they yield, make room, compute, sleep, stay away and start others, while the watcher
/// takes processors from workers.
public final class WakingScenario extends CarrierScenario {
  private static final long[] LOOKS = {3_000, 30_000, 2_000_000};

  /// For so long threads are stopped at most.
  private static final int[] STOPS = {100_000, 500_000, 10_000_000};

  private final List<Thread> all = new ArrayList<>();

  /// For the loader.
  public WakingScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    int processors = 1 + random.below(3);
    carriers(processors, LOOKS[random.below(LOOKS.length)], 1 + random.below(5));
    if (random.oneIn(2)) {
      int points = random.oneIn(2) ? 20 + random.below(60) : 100 + random.below(400);
      random.freeze(points, STOPS[random.below(STOPS.length)]);
      if (random.oneIn(2)) {
        random.freezeStrands();
      }
    }
    int queues = 2 + random.below(3);
    for (int i = 0; i < queues; i++) {
      Place _ = place("queue " + i, terms(random, processors), scheduler(random));
    }
    int pairs = 1 + random.below(3);
    for (int i = 0; i < pairs; i++) {
      pair(i, 2 + random.below(4));
    }
    if (random.oneIn(4)) {
      Place stuck = place("stuck", QueueTerms.DEFAULT, null);
      all.add(thread(stuck, "stuck", this::stallForEver));
    }
    if (random.oneIn(4)) {
      Place stubborn = place("stubborn", QueueTerms.DEFAULT, null);
      all.add(thread(stubborn, "stubborn", this::computeForLong));
    }
    for (Thread each : List.copyOf(all)) {
      if (random.oneIn(2)) {
        random.thread("starts " + each.getName(), () -> each.start()).start();
      } else {
        each.start();
      }
    }
    random.thread("outside", this::wakeSome).start();
  }

  private static QueueTerms terms(Simulation random, int processors) {
    QueueTerms terms = QueueTerms.DEFAULT.withBytes(random.oneIn(2));
    terms = random.oneIn(3) ? terms.withWeight(10) : terms;
    terms = random.oneIn(3) ? terms.cooperative() : terms;
    return random.oneIn(3) ? terms.on(Set.of(random.below(processors))) : terms;
  }

  private static @Nullable Scheduler scheduler(Simulation random) {
    return switch (random.below(12)) {
      case 0 -> new Choosing(true);
      case 1 -> new Choosing.Stopped();
      case 2 -> new Choosing.Called();
      case 3 -> new Choosing.Sliced();
      default -> null;
    };
  }

  private void pair(int number, int rounds) {
    AtomicInteger turn = new AtomicInteger();
    Thread[] both = new Thread[2];
    for (int i = 0; i < 2; i++) {
      int mine = i;
      Place of = any();
      both[i] =
          thread(
              of,
              "pair " + number + "." + i,
              () -> {
                for (int n = turn.get(); n < rounds; n = turn.get()) {
                  if (n % 2 != mine) {
                    await(of);
                  } else {
                    act(of);
                    turn.incrementAndGet();
                    wake(both[1 - mine]);
                  }
                }
              });
      all.add(both[i]);
    }
  }

  private Place any() {
    return places().get(simulation().below(places().size()));
  }

  private void await(Place of) {
    switch (simulation().below(8)) {
      case 0 -> LockSupport.parkNanos(20_000);
      case 1 -> {
        if (of.isCooperative()) {
          LockSupport.park();
        } else {
          simulation().pinned(() -> LockSupport.park());
        }
      }
      default -> LockSupport.park();
    }
  }

  /// Does not yield when it is asked.
  @SuppressWarnings("ThreadPriorityCheck") // so that it is charged
  private void computeForLong() {
    for (int i = 0; i < 3; i++) {
      simulation().spend(simulation().below(15_000_000));
      Thread.yield();
    }
  }

  private void wake(Thread other) {
    switch (simulation().below(4)) {
      case 0 -> LockSupport.unpark(other);
      case 1 -> call(other);
      default -> Carriers.handOver(other);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // as threads do
  private void act(Place of) {
    Simulation random = simulation();
    if (of.isAsked()) {
      Carriers.makeRoom();
    }
    switch (random.below(10)) {
      case 0 -> Thread.yield();
      case 1 -> Carriers.makeRoom();
      case 2 -> LockSupport.parkNanos(random.below(50_000));
      case 3, 4 -> random.spend(random.below(800_000));
      case 5 -> random.stall(random.below(5_000_000));
      case 6 -> allocate(of, random.below(1_000));
      case 7 -> thread(of, "more of " + of.queue(), () -> random.spend(10_000)).start();
      default -> {
        // goes on at once
      }
    }
  }

  /// As threads outside of the carriers do: some wake-ups are for nothing.
  private void wakeSome() {
    Simulation random = simulation();
    for (int i = 0; i < 4; i++) {
      LockSupport.parkNanos(random.below(100_000));
      Thread other = all.get(random.below(all.size()));
      if (random.oneIn(2)) {
        Carriers.handOver(other);
      } else {
        LockSupport.unpark(other);
      }
      long charged = any().queue().cpuNanos();
      if (charged < 0) {
        wrong(charged + " ns are charged");
      }
    }
  }
}
