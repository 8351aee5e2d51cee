package sluice.domain.carrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.threads.Affinity;
import sluice.sys.threads.Uninterrupted;

@Timeout(60)
@SuppressWarnings("ThreadPriorityCheck") // they give the carrier to others
final class CooperativeTest {
  private static RunQueue queue(Carriers carriers, QueueTerms terms) {
    return carriers.queue(
        "test",
        terms,
        problem -> {
          throw new IllegalStateException(problem);
        });
  }

  /// A counter without a lock, by threads that are handed over, are woken, yield and make room: an
  /// update of two at a time would be lost, or be seen half.
  private static final class Plain {
    private long first;
    private long second;
    private boolean wasTorn;

    void add() {
      wasTorn |= first != second;
      first++;
      for (int i = 0; i < 20; i++) {
        Thread.onSpinWait();
      }
      second++;
    }
  }

  @Test
  void oneThreadRunsAtATime() throws Exception {
    int rounds = 2_000;
    Plain plain = new Plain();
    try (Carriers carriers = new Carriers("cooperative", 3, 200_000, 5)) {
      RunQueue queue = queue(carriers, QueueTerms.DEFAULT.cooperative());
      RunQueue other = queue(carriers, QueueTerms.DEFAULT);
      AtomicBoolean ended = new AtomicBoolean();
      Thread beside =
          other
              .threads()
              .start(() -> {
                while (!ended.get()) {
                  Thread.yield();
                }
              });
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int number = i;
        threads.add(
            queue
                .threads()
                .start(() -> {
                  for (int round = 0; round < rounds; round++) {
                    plain.add();
                    pause(number, round, threads);
                  }
                }));
      }
      for (Thread each : threads) {
        each.join();
      }
      ended.set(true);
      beside.join();
    }
    assertThat(plain.wasTorn).isFalse();
    assertThat(plain.first).isEqualTo(8L * rounds);
  }

  private static void pause(int number, int round, List<Thread> threads) {
    switch ((number + round) % 4) {
      case 0 -> Thread.yield();
      case 1 -> Carriers.makeRoom();
      case 2 -> LockSupport.parkNanos(1_000);
      default -> {
        if (number + 1 < threads.size()) {
          Carriers.handOver(threads.get(number + 1));
        }
      }
    }
  }

  /// Between two updates by one thread that makes room for other queues, no other of its own runs.
  @Test
  void aThreadThatMakesRoomGoesOnFirst() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (Carriers carriers = new Carriers("cooperative", 1)) {
      RunQueue queue = queue(carriers, QueueTerms.DEFAULT.cooperative());
      RunQueue other = queue(carriers, QueueTerms.DEFAULT);
      CountDownLatch begin = new CountDownLatch(1);
      Thread stopped =
          queue
              .threads()
              .start(() -> {
                Uninterrupted.await(begin::await);
                order.add("begin");
                other.threads().start(() -> order.add("other"));
                queue.threads().start(() -> order.add("own"));
                Carriers.makeRoom();
                order.add("end");
              });
      begin.countDown();
      stopped.join();
      while (order.size() < 4) {
        Thread.sleep(1);
      }
    }
    assertThat(order.indexOf("end")).isLessThan(order.indexOf("own"));
  }

  @Test
  void aContinuationThatDoesNotComeBackKeepsTheOthersOut() throws Exception {
    try (Carriers carriers = new Carriers("cooperative", 2)) {
      RunQueue queue = queue(carriers, QueueTerms.DEFAULT.cooperative());
      AtomicBoolean isLong = new AtomicBoolean(true);
      AtomicBoolean ranBeside = new AtomicBoolean();
      Thread spins =
          queue
              .threads()
              .start(() -> {
                while (isLong.get()) {
                  Thread.onSpinWait();
                }
              });
      Thread waits = queue.threads().start(() -> ranBeside.set(isLong.get()));
      queue(carriers, QueueTerms.DEFAULT).threads().start(() -> {}).join();
      Thread.sleep(50); // a spare worker has taken over
      isLong.set(false);
      spins.join();
      waits.join();
      assertThat(ranBeside).isFalse();
    }
  }

  @Test
  void aPinnedQueueRunsOnItsProcessors() throws Exception {
    List<Integer> allowed = Affinity.processors();
    int last = allowed.getLast();
    try (Carriers carriers = new Carriers("pinned", allowed.size())) {
      RunQueue free = queue(carriers, QueueTerms.DEFAULT);
      RunQueue pinned = queue(carriers, QueueTerms.DEFAULT.on(Set.of(last)));
      Set<String> seen = ConcurrentHashMap.newKeySet();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        threads.add(
            pinned
                .threads()
                .start(() -> {
                  for (int turn = 0; turn < 100; turn++) {
                    seen.add(allowedHere());
                    LockSupport.parkNanos(1_000);
                  }
                }));
        threads.add(
            free.threads()
                .start(() -> {
                  for (int turn = 0; turn < 200; turn++) {
                    Thread.yield();
                  }
                }));
      }
      for (Thread each : threads) {
        each.join();
      }
      assertThat(seen).containsExactly(String.valueOf(last));
    }
  }

  /// Of the thread that carries this one.
  private static String allowedHere() {
    try {
      return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aProcessorThatThereIsNotIsRefused() {
    try (Carriers carriers = new Carriers("pinned", 1)) {
      assertThatThrownBy(() -> queue(carriers, QueueTerms.DEFAULT.on(Set.of(9_999))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("test is to run on processor 9999. Why: this process may use [")
          .hasMessageContaining("Fix:");
    }
  }
}
