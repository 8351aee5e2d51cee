package sluice.loop.uring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Completion;
import sluice.memory.block.Block;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.IoUring;

/// The arena told by the test what the kernel has filled: a completion is only a number.
@Timeout(120)
class ReceiveArenaTest {
  private static final int CHUNKS = 8;
  private static final int CHUNK_BYTES = 256;

  private final IoUring ring;
  private final OwnChunks store = new OwnChunks(CHUNKS, CHUNK_BYTES);
  private final ReceiveArena arena;

  ReceiveArenaTest() throws IOException {
    ring = IoUring.open(8, 16, 0);
    arena = new ReceiveArena(ring, store, CHUNKS, 2);
  }

  @BeforeEach
  void own() {
    arena.own(Thread.currentThread());
  }

  @AfterEach
  void close() {
    ring.close();
    arena.close();
  }

  private long taken(int chunk, int length, boolean more) {
    int flags = chunk << Cqe.BUFFER_SHIFT | Cqe.F_BUFFER | (more ? Cqe.F_BUF_MORE : 0);
    long piece = arena.taken(flags, length);
    assertThat(Completion.chunk(piece)).isEqualTo(chunk);
    assertThat(Completion.hasChunk(piece)).isTrue();
    return piece;
  }

  private static void elsewhere(Runnable action) throws InterruptedException {
    Thread thread = Thread.ofPlatform().start(action);
    thread.join();
  }

  @Test
  void piecesOfAChunkHaveTheirOwnPlacesAndLeases() {
    Block block = arena.block(0);
    assertThat(block.leases()).isZero();
    long first = taken(0, 100, true);
    long second = taken(0, 50, true);
    assertThat(Completion.offset(first)).isZero();
    assertThat(Completion.offset(second)).isEqualTo(100);
    assertThat(arena.begin(second)).isEqualTo(100);
    assertThat(block.leases()).isEqualTo(3); // the kernel has one
    assertThat(arena.free()).isEqualTo(CHUNKS - 1);
    block.release();
    assertThat(arena.free()).isEqualTo(CHUNKS - 1);
    block.release();
    assertThat(block.leases()).isEqualTo(1);
    assertThat(arena.free()).isEqualTo(CHUNKS);
    assertThat(Completion.offset(taken(0, 106, false))).isEqualTo(150);
    assertThat(block.leases()).isEqualTo(1); // the receiver's
    assertThat(arena.free()).isEqualTo(CHUNKS - 1);
    block.release();
    assertThat(arena.free()).isEqualTo(CHUNKS);
    assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void chunkComesBackAfterItsLastPieceOnAnyThread() throws InterruptedException {
    Block block = arena.block(0);
    taken(0, 200, true);
    taken(0, 56, false);
    elsewhere(block::release);
    arena.reclaim();
    assertThat(arena.free()).isEqualTo(CHUNKS - 1);
    elsewhere(block::release);
    assertThat(arena.free()).isEqualTo(CHUNKS - 1);
    arena.reclaim();
    assertThat(arena.free()).isEqualTo(CHUNKS);
  }

  @Test
  void theSameFewChunksAreFilledAgain() {
    for (int round = 0; round < 20_000; round++) {
      int next = round % 2;
      assertThat(Completion.offset(taken(next, CHUNK_BYTES, false))).isZero();
      arena.block(next).release();
      arena.publish();
    }
    assertThat(store.free()).isEqualTo(CHUNKS - 2);
  }

  @Test
  void turnsThatUseAllAreShownMore() {
    List<Block> held = new ArrayList<>();
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      taken(chunk, CHUNK_BYTES, false);
      held.add(arena.block(chunk));
      arena.publish();
      assertThat(arena.free()).isEqualTo(CHUNKS - held.size());
    }
    assertThat(arena.hasShown()).isFalse();
    assertThat(store.free()).isZero();
    held.forEach(Block::release);
    arena.publish();
    assertThat(arena.hasShown()).isTrue();
    assertThat(arena.free()).isEqualTo(CHUNKS);
  }

  @Test
  void leasedPiecesOutliveTheArena() throws InterruptedException {
    Block here = arena.block(0);
    taken(0, 256, false);
    Block there = arena.block(1);
    taken(1, 3, true);
    here.segment().set(ValueLayout.JAVA_BYTE, 5, (byte) 42);
    ring.close();
    arena.close();
    arena.close();
    assertThat(there.leases()).isEqualTo(1);
    elsewhere(there::release);
    assertThat(here.segment().get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) 42);
    here.release();
    assertThatThrownBy(here::release).isInstanceOf(IllegalStateException.class);
    assertThat(store.free()).isEqualTo(CHUNKS);
  }
}
