package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.memory.View;
import sluice.sys.Errno;

/// Which connection goes when all places are taken.
final class AdmissionTest {
  private static final int LIMIT = 3;
  private static final byte[] MESSAGE = {1};

  /// One byte is no message: it waits for the next.
  private static final byte[] BEGUN = {2};

  private final List<Connection> refused = new ArrayList<>();
  private final Set<Connection> kept = new HashSet<>();
  private final List<Connection> told = new ArrayList<>();
  private final LoopRig rig =
      new LoopRig(new Answering(), LoopRig.CONFIG.withMaxConnections(LIMIT));

  AdmissionTest() throws IOException {}

  /// Answers each [#MESSAGE] by a byte and is idle in between.
  private final class Answering implements Protocol {
    @Override
    public void opened(Connection connection) {
      connection.idle();
    }

    @Override
    public void overloaded(Connection connection) {
      refused.add(connection);
      connection.output().put(MESSAGE);
      connection.close();
    }

    @Override
    public boolean mayMakeRoom(Connection connection) {
      return !kept.contains(connection);
    }

    @Override
    public void makesRoom(Connection connection) {
      assertThat(connection.isOpen()).isTrue();
      told.add(connection);
    }

    @Override
    public int received(Connection connection, View input) {
      if (input.get(0) == BEGUN[0]) {
        return 0;
      }
      connection.output().put(MESSAGE);
      connection.idle();
      return input.length();
    }
  }

  @AfterEach
  void close() {
    rig.engine.taking(length -> length);
    rig.turns(5);
    rig.close();
  }

  private void arrive(Connection connection, byte[] bytes) {
    rig.engine.arrive(connection.socket, bytes);
    rig.turns(2);
  }

  @Test
  void theConnectionThatHasBeenIdleLongestGoes() {
    Connection first = rig.open();
    Connection second = rig.open();
    Connection third = rig.open();
    arrive(first, MESSAGE);
    Connection fourth = rig.open();
    rig.turns(2);
    assertThat(second.isOpen()).isFalse();
    assertThat(first.isOpen() && third.isOpen() && fourth.isOpen()).isTrue();
    Connection fifth = rig.open();
    rig.turns(2);
    assertThat(third.isOpen()).isFalse();
    assertThat(first.isOpen() && fourth.isOpen() && fifth.isOpen()).isTrue();
    assertThat(rig.loop.counters().idleEvictions).isEqualTo(2);
    assertThat(refused).isEmpty();
  }

  @Test
  void aProtocolKeepsAConnectionForAsLongAsItLikes() {
    Connection first = rig.open();
    Connection second = rig.open();
    Connection third = rig.open();
    kept.addAll(List.of(first, second));
    Connection fourth = rig.open();
    rig.turns(2);
    assertThat(third.isOpen()).isFalse();
    assertThat(told).containsExactly(third);
    kept.add(fourth);
    rig.engine.dial();
    rig.turns(2);
    assertThat(refused).hasSize(1);
    assertThat(told).hasSize(1);
    kept.remove(second);
    Connection fifth = rig.open();
    rig.turns(2);
    assertThat(second.isOpen()).isFalse();
    assertThat(first.isOpen() && fourth.isOpen() && fifth.isOpen()).isTrue();
  }

  @Test
  void aBegunMessageKeepsItsPlace() {
    Connection first = rig.open();
    Connection second = rig.open();
    Connection third = rig.open();
    arrive(first, BEGUN);
    arrive(second, BEGUN);
    Connection fourth = rig.open();
    rig.turns(2);
    assertThat(third.isOpen()).isFalse();
    arrive(fourth, BEGUN);
    rig.engine.dial();
    rig.turns(2);
    assertThat(refused).hasSize(1);
    assertThat(first.isOpen() && second.isOpen() && fourth.isOpen()).isTrue();
  }

  @Test
  void whatThePeerHasNotReadKeepsItsPlaceUntilItHas() {
    Connection first = rig.open();
    Connection second = rig.open();
    Connection third = rig.open();
    rig.engine.taking(length -> -Errno.EAGAIN);
    arrive(first, MESSAGE);
    arrive(second, MESSAGE);
    arrive(third, MESSAGE);
    rig.engine.dial();
    rig.turns(2);
    assertThat(first.isOpen() && second.isOpen() && third.isOpen()).isTrue();
    assertThat(refused).hasSize(1);
    rig.engine.taking(length -> length);
    rig.turns(4);
    Connection fourth = rig.open();
    rig.turns(2);
    assertThat(fourth.isOpen()).isTrue();
    assertThat(rig.loop.counters().idleEvictions).isEqualTo(1);
  }

  /// The accept may be told before what has come for the connection that would have to go.
  @Test
  void aRequestOfTheSameTurnKeepsItsPlace() {
    Connection first = rig.open();
    Connection second = rig.open();
    Connection third = rig.open();
    rig.engine.dial();
    rig.engine.arrive(first.socket, MESSAGE);
    rig.turns(3);
    assertThat(first.isOpen() && third.isOpen()).isTrue();
    assertThat(second.isOpen()).isFalse();
    assertThat(rig.wire(first)).hasSize(1);
  }

  @Test
  void manyAtOnceAreBounded() {
    for (int i = 0; i < LIMIT; i++) {
      arrive(rig.open(), BEGUN);
    }
    for (int i = 0; i < 10 * Admission.MOST_LEAVING; i++) {
      rig.engine.dial();
    }
    rig.turns(1);
    assertThat(rig.loop.connectionCount()).isEqualTo(LIMIT + Admission.MOST_LEAVING);
    rig.turns(3);
    int told = refused.size();
    assertThat(told).isEqualTo(Admission.MOST_LEAVING);
    rig.engine.dial(); // the connection that has lingered longest goes for it
    rig.turns(2);
    assertThat(refused).hasSize(told + 1);
    assertThat(refused.getFirst().finished()).isTrue();
    assertThat(rig.loop.connectionCount()).isLessThanOrEqualTo(LIMIT + Admission.MOST_LEAVING);
  }

  @Test
  void anAttackOfIdleConnectionsStarvesNoActiveOne() {
    Connection active = rig.open();
    for (int i = 0; i < 10_000; i++) {
      arrive(active, MESSAGE);
      rig.engine.dial();
      rig.turns(1);
      assertThat(active.isOpen()).isTrue();
      assertThat(rig.loop.connectionCount()).isLessThan(LIMIT + 2 * Admission.MOST_LEAVING);
    }
    assertThat(refused).isEmpty();
  }
}
