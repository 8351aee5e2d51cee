package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Virtual threads of one carrier, woken by each other and by other threads.
@Timeout(60)
final class CarrierTest {
  private static final int TURNS = 20_000;

  /// Two threads that wake each other in turn; a lost wake-up hangs both.
  private static final class Turns {
    final AtomicInteger turn = new AtomicInteger();

    void take(int self, Thread[] both) {
      while (turn.get() < TURNS) {
        if (turn.get() % 2 == self) {
          turn.incrementAndGet();
          LockSupport.unpark(both[1 - self]);
        } else {
          LockSupport.park(this);
        }
      }
      LockSupport.unpark(both[1 - self]);
    }
  }

  @Test
  void threadsOfOneCarrierWakeEachOther() throws Exception {
    try (Carrier carrier = Carrier.open("one")) {
      hand(carrier, carrier);
    }
  }

  @Test
  void threadsOfTwoCarriersWakeEachOther() throws Exception {
    try (Carrier one = Carrier.open("one");
        Carrier other = Carrier.open("other")) {
      hand(one, other);
    }
  }

  private static void hand(Carrier first, Carrier second) throws InterruptedException {
    Turns turns = new Turns();
    Thread[] both = new Thread[2];
    both[0] = first.threads().newThread(() -> turns.take(0, both));
    both[1] = second.threads().newThread(() -> turns.take(1, both));
    both[0].start();
    both[1].start();
    for (Thread each : both) {
      assertThat(each.join(java.time.Duration.ofSeconds(30))).isTrue();
    }
    assertThat(turns.turn.get()).isGreaterThanOrEqualTo(TURNS);
  }

  @Test
  void allThreadsRunOnTheCarrierAndNoneAtTheSameTime() throws Exception {
    try (Carrier carrier = Carrier.open("one")) {
      int[] plain = new int[1];
      List<FutureTask<Void>> tasks =
          java.util.stream.IntStream.range(0, 8)
              .mapToObj(_ ->
                  new FutureTask<Void>(
                      () -> {
                        for (int i = 0; i < 1_000; i++) {
                          plain[0]++; // no other thread of the carrier runs meanwhile
                          LockSupport.parkNanos(1);
                        }
                      },
                      null))
              .toList();
      tasks.forEach(task -> carrier.threads().newThread(task).start());
      for (FutureTask<Void> task : tasks) {
        task.get(30, TimeUnit.SECONDS);
      }
      assertThat(plain[0]).isEqualTo(8_000);
    }
  }

  @Test
  void aClosedCarrierEnds() throws Exception {
    Carrier carrier = Carrier.open("soon closed");
    carrier.close();
    carrier.close();
    assertThat(carrier.awaitEnd(java.time.Duration.ofSeconds(30))).isTrue();
  }
}
