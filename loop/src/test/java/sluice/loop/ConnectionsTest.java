package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Token;

/// Which connection a completion is for.
final class ConnectionsTest {
  private final LoopRig rig;
  private final ConnectionParts parts;
  private final Listener listener;
  private final Connections connections = new Connections();

  ConnectionsTest() throws IOException {
    rig = new LoopRig((connection, input) -> 0);
    parts = rig.open().parts;
    listener = rig.listener;
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private Connection add() {
    return connections.add(parts, listener, 10);
  }

  @Test
  void aLateCompletionIsNotForTheNextHolderOfThePlace() {
    Connection first = add();
    long late = first.token(Token.RECEIVE);
    assertThat(connections.get(late)).isSameAs(first);
    connections.remove(first);
    assertThat(connections.get(late)).isNull();
    Connection second = add();
    assertThat(second.index).isEqualTo(first.index);
    assertThat(connections.get(late)).isNull();
    assertThat(connections.get(second.token(Token.RECEIVE))).isSameAs(second);
  }

  @Test
  void aTokenKeepsItsThreePartsApart() {
    int generation = Token.nextGeneration(0xff_fffe);
    long token = Token.of(Token.POLL, generation, Integer.MAX_VALUE);
    assertThat(Token.op(token)).isEqualTo(Token.POLL);
    assertThat(Token.generation(token)).isEqualTo(0xff_ffff);
    assertThat(Token.index(token)).isEqualTo(Integer.MAX_VALUE);
    assertThat(Token.nextGeneration(generation)).isZero();
  }
}
