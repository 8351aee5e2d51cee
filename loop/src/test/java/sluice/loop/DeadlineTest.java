package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.memory.View;

/// Deadlines are counted from the end of the wait of the turn that sets them: neither what the loop
/// slept before nor what it works in that turn is the peer's fault.
final class DeadlineTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long GIVEN = 10 * SECOND;
  private static final byte[] INPUT = {1};

  private final LoopRig rig = new LoopRig(new Answering());
  private long workNanos;
  private int timedOut;

  DeadlineTest() throws IOException {}

  /// Gives the peer some time, from when he has come and from each input.
  private final class Answering implements Protocol {
    @Override
    public void opened(Connection connection) {
      connection.deadline(GIVEN);
      rig.nanos += workNanos;
    }

    @Override
    public int received(Connection connection, View input) {
      connection.deadline(GIVEN);
      return input.length();
    }

    @Override
    public void timedOut(Connection connection) {
      timedOut++;
    }
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /// Time passes in the wait of a turn.
  private void turnAfter(long nanos) {
    rig.engine.meanwhile(() -> rig.nanos += nanos);
    rig.loop.turn(-1);
  }

  @Test
  void aClientAfterALongSleepHasAllItsTime() {
    rig.engine.dial();
    turnAfter(60 * SECOND);
    assertThat(timedOut).isZero();
    turnAfter(GIVEN - SECOND);
    assertThat(timedOut).isZero();
    turnAfter(2 * SECOND);
    assertThat(timedOut).isEqualTo(1);
  }

  @Test
  void aClientThatSendsAfterALongPauseHasAllItsTime() {
    Connection connection = rig.open();
    rig.engine.arrive(connection.socket, INPUT);
    turnAfter(GIVEN - SECOND);
    turnAfter(GIVEN - SECOND);
    assertThat(timedOut).isZero();
    turnAfter(2 * SECOND);
    assertThat(timedOut).isEqualTo(1);
  }

  /// A loop may get no processor for long; a client that has sent meanwhile is heard first.
  @Test
  void aSlowTurnIsNotHeldAgainstThePeer() {
    workNanos = 60 * SECOND;
    Connection connection = rig.open();
    assertThat(timedOut).isZero();
    rig.engine.arrive(connection.socket, INPUT);
    turnAfter(0);
    assertThat(timedOut).isZero();
    turnAfter(GIVEN + SECOND);
    assertThat(timedOut).isEqualTo(1);
  }
}
