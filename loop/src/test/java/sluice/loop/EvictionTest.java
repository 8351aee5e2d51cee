package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sluice.sys.Errno;

/// Which connection pays when a loop runs short of memory, and which wait before it does.
final class EvictionTest {
  private static final int BUDGET = 16 << 10;
  private static final LoopConfig CONFIG =
      new LoopConfig(100, 64 << 10, BUDGET, 1 << 20, 30_000_000_000L, 2_000_000_000L);

  /// Consumes nothing: all input is held.
  private static final Protocol HOLDING = (connection, input) -> 0;

  /// Answers each byte by a kibibyte.
  private static final Protocol TALKATIVE =
      (connection, input) -> {
        connection.output().put(new byte[input.length() << 10]);
        return input.length();
      };

  private static void arrive(LoopRig rig, Connection connection, int bytes) {
    rig.engine.arrive(connection.socket, new byte[bytes]);
    rig.turns(1);
  }

  @Test
  void theConnectionWithMostInputEndsForOneThatAsksForLess() throws IOException {
    try (LoopRig rig = new LoopRig(HOLDING, CONFIG)) {
      Connection heavy = rig.open();
      Connection middle = rig.open();
      Connection asking = rig.open();
      arrive(rig, heavy, 4096);
      arrive(rig, heavy, 4096);
      arrive(rig, middle, 4096);
      assertThat(rig.loop.heldBytes()).isEqualTo(12 << 10);
      arrive(rig, asking, 4096);
      assertThat(rig.loop.heldBytes()).isEqualTo(BUDGET);
      Connection latest = rig.open();
      arrive(rig, latest, 1);
      rig.turns(2);
      assertThat(heavy.finished()).isTrue();
      assertThat(middle.isOpen() && asking.isOpen() && latest.isOpen()).isTrue();
      assertThat(rig.loop.heldBytes()).isEqualTo((8 << 10) + 512);
      assertThat(rig.loop.counters().overBudgetConnections).isEqualTo(1);
    }
  }

  @Test
  void theConnectionThatAsksForMostEndsAlone() throws IOException {
    try (LoopRig rig = new LoopRig(HOLDING, CONFIG)) {
      Connection[] equal = new Connection[4];
      for (int i = 0; i < equal.length; i++) {
        equal[i] = rig.open();
        arrive(rig, equal[i], 4096);
      }
      Connection fifth = rig.open();
      arrive(rig, fifth, 4096);
      rig.turns(2);
      assertThat(fifth.finished()).isTrue();
      assertThat(equal).allMatch(Connection::isOpen);
      assertThat(rig.loop.heldBytes()).isEqualTo(BUDGET);
    }
  }

  /// Its input is dropped, and the answer that it waits for, or reads slowly, is not.
  @Test
  void aReplyUnderWayIsFinished() throws IOException {
    Protocol protocol =
        (connection, input) -> {
          switch (input.get(0)) {
            case 1 -> {
              ReplyTicket ticket = connection.defer();
              connection
                  .slowPath()
                  .execute(() -> ticket.complete(c -> c.output().put(new byte[3000])));
              return 1;
            }
            case 2 -> connection.output().put(new byte[3000]);
            default -> {
              return 0;
            }
          }
          return 1;
        };
    try (LoopRig rig = new LoopRig(protocol, CONFIG)) {
      Connection answered = rig.open();
      rig.engine.arrive(answered.socket, new byte[] {1});
      rig.loop.turn(0);
      Connection reading = rig.open();
      rig.engine.taking(reading.socket, length -> -Errno.EAGAIN);
      rig.engine.arrive(reading.socket, new byte[] {2});
      rig.loop.turn(0);
      rig.loop.turn(0);
      Connection filling = rig.open();
      for (Connection each : List.of(answered, answered, reading, filling)) {
        rig.engine.arrive(each.socket, new byte[4000]);
        rig.loop.turn(0);
      }
      assertThat(rig.loop.heldBytes()).isEqualTo(BUDGET + 3000);
      for (int bytes : new int[] {4000, 4000, 100}) {
        Connection asking = rig.open();
        rig.engine.arrive(asking.socket, new byte[bytes]);
        rig.loop.turn(0);
        assertThat(asking.isOpen()).isTrue();
      }
      assertThat(filling.isOpen()).isTrue();
      assertThat(rig.loop.counters().overBudgetConnections).isEqualTo(2);
      rig.engine.taking(reading.socket, length -> length);
      rig.turns(4);
      assertThat(rig.wire(answered)).hasSize(3000);
      assertThat(rig.wire(reading)).hasSize(3000);
      assertThat(answered.isOpen() || reading.isOpen()).isFalse();
      assertThat(rig.loop.counters().cutReplies).isZero();
    }
  }

  @Test
  void inputWaitsWhileThePeerDoesNotRead() throws IOException {
    AtomicInteger shown = new AtomicInteger();
    Protocol counting =
        (connection, input) -> {
          shown.addAndGet(input.length());
          return TALKATIVE.received(connection, input);
        };
    LoopConfig roomy = LoopRig.CONFIG.withOutputBytes(64 << 20);
    try (LoopRig rig = new LoopRig(counting, roomy)) {
      rig.engine.taking(length -> -Errno.EAGAIN);
      Connection deaf = rig.open();
      for (int i = 0; i < 5; i++) {
        arrive(rig, deaf, 100);
      }
      assertThat(shown).hasValue(300);
      rig.engine.taking(length -> length);
      rig.turns(20);
      assertThat(shown).hasValue(500);
      assertThat(rig.wire(deaf)).hasSize(500 << 10);
    }
  }
}
