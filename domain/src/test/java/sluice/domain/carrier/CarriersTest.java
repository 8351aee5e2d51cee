package sluice.domain.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class CarriersTest {
  private static RunQueue queue(Carriers carriers) {
    return carriers.queue(
        "test",
        false,
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
}
