package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.testbase.Await;

/// Tasks come out once each, in the order each thread gave them, and a sleeping loop hears of them.
@Timeout(240)
class InboxTest {
  private static final int ADDERS = 4;
  private static final int TASKS = 50_000;
  private static final int ROUNDS = 3_000;

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

  /// Each task is added at another moment of the loop's way to sleep. One wake-up lost, and the
  /// loop, which has nothing else to wake it, sleeps for ever.
  @ParameterizedTest
  @EnumSource(
      value = Backend.class,
      names = {"IO_URING", "EPOLL", "POLL", "JDK"})
  void noWakeUpIsLost(Backend backend) throws Exception {
    CountDownLatch ready = new CountDownLatch(1);
    Loop[] made = new Loop[1];
    Engines.Choice choice = choice(backend);
    Thread thread = Thread.ofPlatform().start(() -> runLoop(choice, made, ready));
    assertThat(ready.await(60, TimeUnit.SECONDS)).isTrue();
    Loop loop = made[0];
    for (int i = 0; i < ROUNDS; i++) {
      CountDownLatch ran = new CountDownLatch(1);
      loop.execute(ran::countDown);
      assertThat(ran.await(60, TimeUnit.SECONDS)).as("task %s of %s", i, ROUNDS).isTrue();
      for (int spin = i % 200; spin > 0; spin--) {
        Thread.onSpinWait();
      }
    }
    loop.stop();
    thread.join(60_000);
    assertThat(thread.isAlive()).isFalse();
  }

  private static Engines.Choice choice(Backend backend) {
    try {
      return Engines.choose(backend);
    } catch (IOException e) {
      assumeTrue(false, "no " + backend + " here: " + e.getMessage());
      throw new AssertionError(e);
    }
  }

  private static void runLoop(Engines.Choice choice, Loop[] made, CountDownLatch ready) {
    try (Loop loop =
        new Loop(
            "inbox",
            Engines.open(choice, EngineConfig.DEFAULT.withChunks(16, 1024)),
            LoopRig.CONFIG,
            NanoClock.SYSTEM,
            Runnable::run)) {
      made[0] = loop;
      ready.countDown();
      loop.run();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void failingTaskHarmsNoOther() throws IOException {
    try (LoopRig rig = new LoopRig((connection, input) -> input.length())) {
      AtomicInteger ran = new AtomicInteger();
      rig.loop.execute(() -> {
        throw new IllegalStateException("a task that fails");
      });
      rig.loop.execute(ran::incrementAndGet);
      rig.turns(1);
      assertThat(ran).hasValue(1);
      assertThat(rig.loop.counters().taskFailures).isEqualTo(1);
    }
  }
}
