package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Engine;

/// Tests of timeouts and wake-ups.
interface EngineContractTurn {
  long WAIT_NANOS = 60 * EngineContractRig.MILLIS;

  EngineContractRig rig();

  private long timedTurn(long timeoutNanos) throws IOException {
    long start = rig().peers.nanos();
    assertThat(rig().turn(timeoutNanos)).isZero();
    return rig().peers.nanos() - start;
  }

  /// An action before a wait.
  interface Beginning {
    void run() throws IOException;
  }

  /// Checks that the turn after `beginning` waits for its full time. It retries, including the
  /// beginning, because the kernel may interrupt one wait when it tears down a ring that this
  /// thread has closed earlier.
  private void assertWaitsAfter(Beginning beginning) throws IOException {
    long waited = 0;
    for (int attempt = 0; attempt < 5 && waited <= WAIT_NANOS / 2; attempt++) {
      beginning.run();
      waited = timedTurn(WAIT_NANOS);
    }
    assertThat(waited).isGreaterThan(WAIT_NANOS / 2);
  }

  @Test
  default void zeroDoesNotWait() throws IOException {
    timedTurn(0);
    long least = Long.MAX_VALUE; // a machine may stand still for a while
    for (int attempt = 0; attempt < 20 && least >= EngineContractRig.SECONDS; attempt++) {
      long start = rig().peers.nanos();
      for (int i = 0; i < 100; i++) {
        assertThat(rig().turn(0)).isZero();
      }
      least = Math.min(least, rig().peers.nanos() - start);
    }
    assertThat(least).isLessThan(EngineContractRig.SECONDS);
  }

  @Test
  default void turnWaitsForItsTime() throws IOException {
    assertWaitsAfter(() -> timedTurn(0));
    assertWaitsAfter(() -> {});
  }

  @Test
  default void completionEndsTheWait() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    var writer =
        rig().peers.later(30 * EngineContractRig.MILLIS, () -> pair.peer().write(new byte[1]));
    while (rig().poll(token) == null) {
      rig().turn(-1);
    }
    writer.join();
  }

  @Test
  default void wakeBeforeTheWaitEndsIt() throws IOException {
    rig().turn(0);
    assertWaitsAfter(() -> {
      rig().engine().wake();
      assertThat(rig().turn(-1)).isZero();
    });
  }

  @Test
  default void wakeDuringTheWaitEndsIt() throws IOException {
    Engine engine = rig().engine();
    rig().turn(0);
    assertWaitsAfter(() -> {
      for (int i = 0; i < 3; i++) {
        var waker = rig().peers.later(20 * EngineContractRig.MILLIS, engine::wake);
        assertThat(rig().turn(-1)).isZero();
        waker.join();
      }
    });
  }

  @Test
  default void wakeFromACompletionEndsTheNextWait() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    Engine engine = rig().engine();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    assertWaitsAfter(() -> {
      pair.peer().write(new byte[1]);
      List<Long> tokens = new ArrayList<>();
      while (tokens.isEmpty()) {
        rig()
            .turn(
                -1,
                (completed, result, flags) -> {
                  tokens.add(completed);
                  engine.wake();
                });
      }
      assertThat(rig().turn(-1)).isZero();
    });
  }

  @Test
  default void manyWakesAreOne() throws IOException {
    Engine engine = rig().engine();
    rig().turn(0);
    assertWaitsAfter(() -> {
      var waker =
          rig()
              .peers
              .later(
                  0,
                  () -> {
                    for (int i = 0; i < 1000; i++) {
                      engine.wake();
                    }
                  });
      waker.join();
      assertThat(rig().turn(-1)).isZero();
    });
  }

  /// Checks that no wake-up between two turns is lost, whenever it comes.
  @Test
  default void everyWakeEndsAWait() throws IOException {
    Engine engine = rig().engine();
    rig().turn(0);
    assertWaitsAfter(() -> {
      for (int i = 0; i < 300; i++) {
        var waker = rig().peers.later(0, engine::wake);
        assertThat(rig().turn(-1)).isZero(); // would wait forever
        waker.join();
      }
    });
  }

  @Test
  default void turnWithCompletionsWaitingDoesNotWait() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    rig().sockets().sendAll(pair.socket(), token, rig().segment(new byte[10]), 0, 10);
    long start = rig().peers.nanos();
    rig().turn(100 * EngineContractRig.SECONDS);
    assertThat(rig().peers.nanos() - start).isLessThan(90 * EngineContractRig.SECONDS);
    assertThat(rig().await(token).result()).isEqualTo(10);
  }

  @Test
  default void whatASinkStagesIsHandedOverByTheNextTurn() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    long reply = rig().token();
    var sockets = rig().sockets();
    var segment = rig().segment(new byte[] {9});
    sockets.receive(pair.socket(), token);
    rig().turn(0);
    pair.peer().write(new byte[1]);
    List<Long> tokens = new ArrayList<>();
    while (tokens.isEmpty()) {
      rig()
          .turn(
              -1,
              (completed, result, flags) -> {
                tokens.add(completed);
                sockets.sendAll(pair.socket(), reply, segment, 0, 1);
              });
    }
    assertThat(tokens).containsExactly(token);
    assertThat(rig().await(reply).result()).isEqualTo(1);
    assertThat(pair.peer().read(1)).containsExactly(9);
  }
}
