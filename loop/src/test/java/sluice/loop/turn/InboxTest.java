package sluice.loop.turn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Tasks come out once each, in the order each thread gave them.
@Timeout(240)
class InboxTest {
  private static final int ADDERS = 4;
  private static final int TASKS = 50_000;

  @Test
  void keepsTheOrderOfEachThread() throws InterruptedException {
    Inbox inbox = new Inbox();
    int[] next = new int[ADDERS];
    int[] taken = new int[1];
    List<Thread> adders = new ArrayList<>();
    for (int i = 0; i < ADDERS; i++) {
      int adder = i;
      adders.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int n = 0; n < TASKS; n++) {
                  int number = n;
                  inbox.add(() -> {
                    assertThat(next[adder]).isEqualTo(number);
                    next[adder]++;
                    taken[0]++;
                  });
                }
              }));
    }
    Await await = new Await();
    while (taken[0] < ADDERS * TASKS) {
      await.check("all tasks");
      inbox.runAll(Runnable::run);
      LockSupport.parkNanos(10_000);
    }
    for (Thread adder : adders) {
      adder.join();
    }
    assertThat(inbox.isEmpty()).isTrue();
    assertThat(Arrays.stream(next)).allMatch(count -> count == TASKS);
  }

  @Test
  void whatATaskAddsRunsNextTime() {
    Inbox inbox = new Inbox();
    List<Integer> order = new ArrayList<>();
    inbox.add(() -> {
      order.add(1);
      inbox.add(() -> order.add(3));
    });
    inbox.add(() -> order.add(2));
    inbox.runAll(Runnable::run);
    assertThat(order).containsExactly(1, 2);
    inbox.runAll(Runnable::run);
    assertThat(order).containsExactly(1, 2, 3);
    inbox.runAll(task -> order.add(4));
    assertThat(order).hasSize(3);
  }
}
