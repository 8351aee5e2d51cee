package sluice.domain;

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
final class CarrierTest {
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // gives the carrier to the other thread
  void runsItsThreadsByTurnsAndWakesForOthers() throws Exception {
    try (Carrier carrier = new Carrier("carrier")) {
      List<Integer> order = new ArrayList<>();
      CountDownLatch both = new CountDownLatch(2);
      for (int i = 0; i < 2; i++) {
        int number = i;
        carrier
            .thread(
                "turn" + i,
                () -> {
                  for (int turn = 0; turn < 3; turn++) {
                    order.add(number); // one carrier: no two at a time
                    Thread.yield();
                  }
                  both.countDown();
                })
            .start();
      }
      both.await();
      assertThat(order).containsExactlyInAnyOrder(0, 0, 0, 1, 1, 1);
      LinkedBlockingQueue<String> asked = new LinkedBlockingQueue<>();
      LinkedBlockingQueue<String> answered = new LinkedBlockingQueue<>();
      carrier
          .thread(
              "echo",
              () -> {
                try {
                  while (true) {
                    answered.add(asked.take() + "!");
                  }
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              })
          .start();
      for (int i = 0; i < 1_000; i++) {
        asked.add("hello" + i);
        assertThat(answered.take()).isEqualTo("hello" + i + "!");
      }
    }
  }

  @Test
  void aThreadOfTheCarrierUnparksAnother() throws Exception {
    try (Carrier carrier = new Carrier("carrier")) {
      AtomicInteger turn = new AtomicInteger();
      Thread[] threads = new Thread[2];
      for (int i = 0; i < 2; i++) {
        int mine = i;
        threads[i] =
            carrier.thread(
                "player" + i,
                () -> {
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
