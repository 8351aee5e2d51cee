package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;

/// A sleeping loop hears of every task, and survives a task that fails.
@Timeout(240)
class LoopTasksTest {
  private static final int ROUNDS = 3_000;

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
  void aTaskThatFailsHarmsNoOther() throws IOException {
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
