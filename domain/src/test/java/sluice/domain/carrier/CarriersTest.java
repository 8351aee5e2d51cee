package sluice.domain.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.sys.threads.Uninterrupted;
import sluice.testbase.Await;

@Timeout(60)
@SuppressWarnings("ThreadPriorityCheck") // they give the carrier to others
final class CarriersTest {
  private static RunQueue queue(Carriers carriers) {
    return carriers.queue(
        "test",
        QueueTerms.DEFAULT,
        problem -> {
          throw new IllegalStateException(problem);
        });
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // gives the carrier to the other thread
  void runsItsThreadsByTurnsAndWakesForOthers() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      List<Integer> order = new ArrayList<>();
      CountDownLatch both = new CountDownLatch(2);
      for (int i = 0; i < 2; i++) {
        int number = i;
        queue(carriers)
            .threads()
            .start(() -> {
              for (int turn = 0; turn < 3; turn++) {
                order.add(number); // one carrier: no two at a time
                Thread.yield();
              }
              both.countDown();
            });
      }
      both.await();
      assertThat(order).containsExactlyInAnyOrder(0, 0, 0, 1, 1, 1);
      LinkedBlockingQueue<String> asked = new LinkedBlockingQueue<>();
      LinkedBlockingQueue<String> answered = new LinkedBlockingQueue<>();
      queue(carriers)
          .threads()
          .start(() -> {
            try {
              while (true) {
                answered.add(asked.take() + "!");
              }
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      for (int i = 0; i < 1_000; i++) {
        asked.add("hello" + i);
        assertThat(answered.take()).isEqualTo("hello" + i + "!");
      }
    }
  }

  @Test
  void aThreadOfTheCarrierUnparksAnother() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      AtomicInteger turn = new AtomicInteger();
      Thread[] threads = new Thread[2];
      for (int i = 0; i < 2; i++) {
        int mine = i;
        threads[i] =
            queue(carriers)
                .threads()
                .unstarted(() -> {
                  while (turn.get() < 10_000) {
                    while (turn.get() % 2 != mine && turn.get() < 10_000) {
                      LockSupport.park();
                    }
                    turn.incrementAndGet();
                    LockSupport.unpark(threads[1 - mine]);
                  }
                  LockSupport.unpark(threads[1 - mine]);
                });
      }
      threads[0].start();
      threads[1].start();
      threads[0].join();
      threads[1].join();
      assertThat(turn.get()).isGreaterThanOrEqualTo(10_000);
    }
  }

  private static void spin(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static long cpuOf(Carriers carriers) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return carriers.threads().stream()
        .mapToLong(each -> threads.getThreadCpuTime(each.threadId()))
        .sum();
  }

  /// Queues that run for long, for a moment and by turns, and others that keep the processors busy.
  @Test
  void whatIsChargedIsWhatTheCarriersHaveUsed() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 2)) {
      List<Thread> busy = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        busy.add(Thread.ofPlatform().daemon().start(() -> spin(1_500)));
      }
      List<RunQueue> queues = List.of(queue(carriers), queue(carriers), queue(carriers));
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        long atATime = i % 3 * 4L;
        threads.add(
            queues
                .get(i % 3)
                .threads()
                .start(() -> {
                  for (long spun = 0; spun < 200; spun += atATime + 1) {
                    spin(atATime);
                    LockSupport.parkNanos(100_000);
                  }
                }));
      }
      for (Thread each : threads) {
        each.join();
      }
      for (Thread each : busy) {
        each.join();
      }
      Thread.sleep(20); // until the carriers wait, and have charged what they ran
      long charged = queues.stream().mapToLong(RunQueue::cpuNanos).sum() + carriers.ownNanos();
      assertThat(charged / (double) cpuOf(carriers)).isBetween(0.99, 1.01);
      assertThat(queues.get(2).cpuNanos()).isGreaterThan(queues.get(0).cpuNanos());
    }
  }

  @Test
  void aThreadThatRunsNowIsCharged() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      RunQueue queue = queue(carriers);
      AtomicBoolean stop = new AtomicBoolean();
      Thread thread =
          queue
              .threads()
              .start(() -> {
                while (!stop.get()) {
                  Thread.onSpinWait();
                }
              });
      Await.until("it is charged", () -> queue.cpuNanos() > 50_000_000);
      assertThat(carriers.running(queue)).hasSize(1);
      stop.set(true);
      thread.join();
      // Its carrier charges it with the next change: for that moment it is in neither sum.
      Await.until("it stays charged", () -> queue.cpuNanos() > 50_000_000);
    }
  }

  @Test
  void bytesAreCountedForTheQueueThatAsksForIt() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      RunQueue counted =
          carriers.queue("counted", QueueTerms.DEFAULT.withBytes(true), problem -> {});
      RunQueue other = carriers.queue("other", QueueTerms.DEFAULT.withBytes(true), problem -> {});
      List<byte[]> kept = Collections.synchronizedList(new ArrayList<>());
      Runnable allocates =
          () -> {
            for (int i = 0; i < 1_000; i++) {
              kept.add(new byte[1_000]);
              Thread.yield();
            }
          };
      Thread first = counted.threads().start(allocates);
      Thread second =
          other
              .threads()
              .start(() -> {
                for (int i = 0; i < 1_000; i++) {
                  Thread.yield();
                }
              });
      first.join();
      second.join();
      Await.until("they are charged", () -> counted.allocatedBytes() >= 1_016_000);
      assertThat(counted.allocatedBytes()).isLessThan(1_300_000);
      assertThat(other.allocatedBytes()).isLessThan(300_000);
    }
  }

  /// Pins its thread for as long as the test likes.
  private static final class Initializer {
    static final CountDownLatch BEGUN = new CountDownLatch(1);
    static final CountDownLatch END = new CountDownLatch(1);

    private static final class Slow {
      static {
        BEGUN.countDown();
        Uninterrupted.await(END::await);
      }

      static void use() {}
    }
  }

  @Test
  void aContinuationThatDoesNotComeBackKeepsItsThread() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      RunQueue stuck = queue(carriers);
      Thread thread = stuck.threads().start(Initializer.Slow::use);
      Initializer.BEGUN.await();
      for (int i = 0; i < 100; i++) {
        queue(carriers).threads().start(() -> LockSupport.parkNanos(1_000)).join();
      }
      assertThat(carriers.replacements()).isPositive();
      assertThat(carriers.running(stuck)).hasSize(1);
      Initializer.END.countDown();
      thread.join();
      Await.until("it is a spare one", () -> carriers.running(stuck).isEmpty());
      for (int i = 0; i < 100; i++) {
        queue(carriers).threads().start(() -> LockSupport.parkNanos(1_000)).join();
      }
      assertThat(carriers.threads().size()).isLessThanOrEqualTo((int) carriers.replacements() + 1);
    }
  }

  /// A caller that is pinned waits on its carrier, where nothing can run next.
  @Test
  void aPinnedThreadThatHandsOverIsAnswered() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      Thread[] caller = new Thread[1]; // set before the service runs
      AtomicInteger turn = new AtomicInteger();
      Thread service =
          queue(carriers)
              .threads()
              .start(() -> {
                while (turn.get() < 20) {
                  if (turn.get() % 2 == 1) {
                    turn.incrementAndGet();
                    Carriers.handOver(caller[0]);
                  }
                  LockSupport.park();
                }
              });
      pinned =
          () -> {
            while (turn.get() < 20) {
              if (turn.get() % 2 == 0) {
                turn.incrementAndGet();
                Carriers.handOver(service);
              }
              LockSupport.parkNanos(1_000_000_000);
            }
          };
      Thread thread = queue(carriers).threads().unstarted(PinnedCaller::use);
      caller[0] = thread;
      thread.start();
      thread.join();
      LockSupport.unpark(service);
      service.join();
      assertThat(turn.get()).isEqualTo(20);
    }
  }

  private static volatile Runnable pinned = () -> {};

  /// Runs in its initializer, which pins.
  private static final class PinnedCaller {
    static {
      pinned.run();
    }

    static void use() {}
  }

  /// Threads of several queues that wake one another, by hand-over and otherwise, yield and sleep.
  @Test
  void noWakeUpIsLost() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 3)) {
      wakeOneAnother(carriers);
    }
  }

  /// Where the watcher takes processors from workers all the time, in the middle of whatever they
  /// do.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void noWakeUpIsLostWhenWorkersAreReplaced(int processors) throws Exception {
    try (Carriers carriers = new Carriers("carriers", processors, 10_000, 1)) {
      for (int round = 0; round < 5; round++) {
        wakeOneAnother(carriers);
      }
      assertThat(carriers.replacements()).isPositive();
    }
  }

  private static void wakeOneAnother(Carriers carriers) throws InterruptedException {
    Random random = new Random(31);
    List<Thread> all = new ArrayList<>();
    for (int pair = 0; pair < 200; pair++) {
      RunQueue left = queue(carriers);
      RunQueue right = queue(carriers);
      boolean handsOver = random.nextBoolean();
      AtomicInteger turn = new AtomicInteger();
      Thread[] both = new Thread[2];
      for (int i = 0; i < 2; i++) {
        int mine = i;
        both[i] =
            (i == 0 ? left : right)
                .threads()
                .unstarted(() -> {
                  for (int n = turn.get(); n < 1_000; n = turn.get()) {
                    if (n % 2 != mine) {
                      LockSupport.park();
                    } else {
                      if (n % 97 == 0) {
                        LockSupport.parkNanos(1_000);
                      } else if (n % 89 == 0) {
                        Thread.yield();
                      }
                      turn.incrementAndGet();
                      if (handsOver) {
                        Carriers.handOver(both[1 - mine]);
                      } else {
                        LockSupport.unpark(both[1 - mine]);
                      }
                    }
                  }
                });
      }
      both[0].start();
      both[1].start();
      all.addAll(List.of(both));
    }
    for (Thread each : all) {
      each.join();
    }
  }

  @Test
  void spareThreadsAndTheWatcherRestWhileNothingRuns() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 2)) {
      queue(carriers).threads().start(() -> {}).join();
      Await.until(
          "all rest",
          () ->
              carriers.threads().stream()
                  .allMatch(each -> each.getState() == Thread.State.WAITING));
      long before = cpuOf(carriers);
      Thread.sleep(300);
      assertThat(cpuOf(carriers)).isEqualTo(before);
    }
  }

  /// A thread that does what it is asked leaves its carrier to others, and keeps its platform
  /// thread.
  @Test
  void aThreadThatIsAskedToYieldLetsOthersRun() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1, 1_000_000, 1_000)) {
      AtomicBoolean asked = new AtomicBoolean();
      AtomicBoolean stop = new AtomicBoolean();
      RunQueue greedy =
          carriers.queue(
              "greedy",
              QueueTerms.DEFAULT,
              new RunQueue.Guest() {
                @Override
                public void escaped(Throwable problem) {}

                @Override
                public void yieldSoon() {
                  asked.set(true);
                }
              });
      Thread thread =
          greedy
              .threads()
              .start(() -> {
                while (!stop.get()) {
                  if (asked.compareAndSet(true, false)) {
                    Thread.yield();
                  }
                }
              });
      for (int i = 0; i < 20; i++) {
        queue(carriers).threads().start(() -> LockSupport.parkNanos(1_000)).join();
      }
      assertThat(carriers.replacements()).isZero();
      stop.set(true);
      thread.join();
    }
  }

  /// The watcher looks too late for this test.
  @Test
  void aThreadThatIsWokenHasAQueueThatUsedMoreYieldAtOnce() throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1, TimeUnit.MINUTES.toNanos(2), 1_000)) {
      AtomicBoolean stop = new AtomicBoolean();
      RunQueue greedy = spinning(carriers, 1, stop, 2);
      Await.until("it has run", () -> greedy.cpuNanos() > TimeUnit.MILLISECONDS.toNanos(20));
      greedy.yieldSoon(false); // it is charged, and its other thread has the turn
      Await.until("it has had turns", () -> greedy.turnNanos() > TimeUnit.MILLISECONDS.toNanos(10));
      RunQueue polite = queue(carriers);
      for (int i = 0; i < 100; i++) {
        polite.threads().start(() -> LockSupport.parkNanos(1_000)).join();
      }
      stop.set(true);
    }
  }

  /// A queue whose threads yield when they are asked to, and count nothing but that.
  private static RunQueue spinning(Carriers carriers, int weight, AtomicBoolean stop, int threads) {
    AtomicBoolean asked = new AtomicBoolean();
    RunQueue queue =
        carriers.queue(
            "weight " + weight,
            QueueTerms.DEFAULT.withWeight(weight),
            new RunQueue.Guest() {
              @Override
              public void escaped(Throwable problem) {
                throw new IllegalStateException(problem);
              }

              @Override
              public void yieldSoon() {
                asked.set(true);
              }
            });
    for (int i = 0; i < threads; i++) {
      queue
          .threads()
          .start(() -> {
            while (!stop.get()) {
              if (asked.get() && asked.compareAndSet(true, false)) {
                Thread.yield();
              }
            }
          });
    }
    return queue;
  }

  /// Also beside a queue that sleeps, and another that makes threads all the time.
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 10})
  void processorsAreSharedByWeight(int weight) throws Exception {
    try (Carriers carriers = new Carriers("carriers", 1)) {
      AtomicBoolean stop = new AtomicBoolean();
      RunQueue light = spinning(carriers, 1, stop, 1);
      RunQueue heavy = spinning(carriers, weight, stop, 3);
      RunQueue sleeper = queue(carriers);
      sleeper
          .threads()
          .start(() -> {
            while (!stop.get()) {
              LockSupport.parkNanos(1_000_000);
            }
          });
      RunQueue makes = queue(carriers);
      makes
          .threads()
          .start(() -> {
            while (!stop.get()) {
              makes.threads().start(() -> {});
              LockSupport.parkNanos(1_000_000);
            }
          });
      Thread.sleep(100);
      long lightBefore = light.cpuNanos();
      long heavyBefore = heavy.cpuNanos();
      Thread.sleep(1_500);
      double ratio = (heavy.cpuNanos() - heavyBefore) / (double) (light.cpuNanos() - lightBefore);
      stop.set(true);
      assertThat(ratio).isBetween(0.8 * weight, 1.25 * weight);
    }
  }
}
