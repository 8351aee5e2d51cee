package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// What a turn waits for, and what ends the wait.
final class LoopTurnTest {
  private final LoopRig rig;
  private final AtomicInteger ran = new AtomicInteger();

  LoopTurnTest() throws IOException {
    rig = new LoopRig((connection, input) -> input.length());
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void aLoopThatIsAwakeIsNotWoken() {
    rig.loop.execute(ran::incrementAndGet);
    rig.loop.execute(ran::incrementAndGet);
    rig.loop.turn(-1);
    assertThat(rig.engine.latestWaitNanos()).isZero();
    assertThat(ran).hasValue(2);
    assertThat(rig.engine.wakes()).isZero();
  }

  @Test
  void aLoopThatSleepsIsWokenOnce() {
    rig.engine.meanwhile(() -> {
      for (int i = 0; i < 3; i++) {
        rig.loop.execute(ran::incrementAndGet);
      }
    });
    rig.loop.turn(-1);
    assertThat(rig.engine.latestWaitNanos()).isEqualTo(-1);
    assertThat(rig.engine.wakes()).isEqualTo(1);
    assertThat(ran).hasValue(3);
    rig.loop.execute(ran::incrementAndGet);
    assertThat(rig.engine.wakes()).isEqualTo(1);
  }

  @Test
  void noTurnWaitsAfterItsFirstInput() {
    Connection connection = rig.open();
    rig.engine.arrive(connection.socket, new byte[] {1});
    rig.engine.meanwhile(() -> assertThat(rig.loop.asleep()).isTrue());
    rig.loop.beforeBatch(() -> rig.loop.execute(ran::incrementAndGet));
    rig.loop.turn(-1);
    assertThat(ran).hasValue(1);
    assertThat(rig.engine.wakes()).isZero();
  }

  /// Armed at once it would fail again at once, for as long as the arena is empty.
  @Test
  void aReceiveThatFoundNoChunkIsArmedWhenThereIsOne() {
    Connection connection = rig.open();
    List<Block> taken = rig.engine.takeAllChunks();
    rig.engine.end(connection.socket, -Errno.ENOBUFS);
    rig.turns(3);
    assertThat(rig.engine.receiveArmed(connection.socket)).isFalse();
    assertThat(rig.loop.counters().starvedReceives).isEqualTo(1);
    rig.loop.turn(-1);
    assertThat(rig.engine.latestWaitNanos()).isBetween(1L, 1_000_000_000L);
    taken.removeLast().release();
    rig.turns(1);
    assertThat(rig.engine.receiveArmed(connection.socket)).isTrue();
    taken.forEach(Block::release);
    rig.loop.turn(-1);
    assertThat(rig.engine.latestWaitNanos()).isEqualTo(-1);
  }

  @Test
  void aChunkFeedsTheLongestStarved() {
    Connection first = rig.open();
    Connection second = rig.open();
    List<Block> taken = rig.engine.takeAllChunks();
    rig.engine.end(first.socket, -Errno.ENOBUFS);
    rig.engine.end(second.socket, -Errno.ENOBUFS);
    rig.turns(2);
    taken.removeLast().release();
    rig.turns(1);
    assertThat(rig.engine.receiveArmed(first.socket)).isTrue();
    assertThat(rig.engine.receiveArmed(second.socket)).isFalse();
    taken.forEach(Block::release);
    rig.turns(1);
    assertThat(rig.engine.receiveArmed(second.socket)).isTrue();
  }
}
