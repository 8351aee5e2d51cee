package sluice.loop.engine;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.block.Block;

@Timeout(120)
class ChunkPoolTest {
  private static Block take(ChunkPool pool) {
    int chunk = pool.peek();
    assertThat(chunk).isNotNegative();
    pool.lend(chunk);
    return pool.block(chunk);
  }

  private static void elsewhere(Runnable action) throws InterruptedException {
    Thread thread = Thread.ofPlatform().start(action);
    thread.join();
  }

  @Test
  void everyChunkIsFreeAtFirstAndHasItsOwnPlace() {
    try (ChunkPool pool = new ChunkPool(4, 128)) {
      assertThat(pool.free()).isEqualTo(4);
      assertThat(pool.segment().byteSize()).isEqualTo(512);
      assertThat(pool.segment().address() % 4096).isZero();
      for (int chunk = 0; chunk < 4; chunk++) {
        assertThat(pool.block(chunk).segment().address())
            .isEqualTo(pool.segment().address() + pool.offset(chunk));
        assertThat(pool.block(chunk).leases()).isZero();
      }
    }
  }

  @Test
  void ownerReleaseIsFreeAtOnceAndUsedNext() {
    try (ChunkPool pool = new ChunkPool(2, 64)) {
      pool.own(Thread.currentThread());
      Block first = take(pool);
      Block second = take(pool);
      assertThat(pool.peek()).isEqualTo(-1);
      assertThat(pool.free()).isZero();
      first.release();
      assertThat(pool.free()).isEqualTo(1);
      assertThat(take(pool)).isSameAs(first);
      first.release();
      second.release();
      assertThat(pool.free()).isEqualTo(2);
    }
  }

  @Test
  void chunkStaysOutUntilTheLastLeaseEnds() {
    try (ChunkPool pool = new ChunkPool(1, 64)) {
      pool.own(Thread.currentThread());
      Block block = take(pool);
      block.lease();
      block.release();
      assertThat(pool.free()).isZero();
      block.release();
      assertThat(pool.free()).isEqualTo(1);
      assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void releaseElsewhereWaitsForReclaim() throws InterruptedException {
    try (ChunkPool pool = new ChunkPool(4, 64)) {
      pool.own(Thread.currentThread());
      List<Block> blocks = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        blocks.add(take(pool));
      }
      elsewhere(() -> blocks.forEach(Block::release));
      assertThat(pool.free()).isZero();
      pool.reclaim();
      assertThat(pool.free()).isEqualTo(4);
      pool.reclaim();
      assertThat(pool.free()).isEqualTo(4);
    }
  }

  @Test
  void hookSeesEveryChunkThatComesBack() throws InterruptedException {
    List<Integer> published = new ArrayList<>();
    try (ChunkPool pool =
        new ChunkPool(4, 64) {
          @Override
          protected void onFree(int chunk) {
            published.add(chunk);
          }
        }) {
      pool.own(Thread.currentThread());
      pool.lend(3);
      pool.lend(1);
      assertThat(pool.free()).isEqualTo(2);
      pool.block(1).release();
      elsewhere(() -> pool.block(3).release());
      assertThat(published).containsExactly(1);
      pool.reclaim();
      assertThat(published).containsExactly(1, 3);
      assertThat(pool.free()).isEqualTo(4);
    }
  }

  @Test
  void leasedChunkOutlivesTheClosedPool() throws InterruptedException {
    ChunkPool pool = new ChunkPool(2, 64);
    pool.own(Thread.currentThread());
    Block here = take(pool);
    Block there = take(pool);
    pool.close();
    pool.close();
    here.segment().setAtIndex(JAVA_LONG, 0, 42);
    elsewhere(there::release);
    assertThat(here.segment().getAtIndex(JAVA_LONG, 0)).isEqualTo(42);
    here.release();
    assertThatThrownBy(here::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesCountsThatAreNoPowerOfTwo() {
    for (int count : new int[] {0, -1, 3, 65_536}) {
      assertThatThrownBy(() -> new ChunkPool(count, 64))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Integer.toString(count));
    }
    assertThatThrownBy(() -> new EngineConfig(512, 100, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EngineConfig(512, 128, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(EngineConfig.DEFAULT.withChunks(8, 64).withMaxSockets(3))
        .isEqualTo(new EngineConfig(8, 64, 3));
  }
}
