package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.EngineConfig;
import sluice.memory.block.Block;
import sluice.testkit.EngineContractRig.Event;
import sluice.testkit.EngineContractRig.Pair;

/// Tests of received pieces: a completion delivers a piece at any offset of a block, possibly next
/// to other pieces, and each piece has its own lease. An engine may or may not place several pieces
/// in a block; these rules hold in both cases.
interface LeaseContractPieces {
  int PIECE_BLOCKS = 8;
  int PIECE_BLOCK_BYTES = 512;

  EngineContractRig rig();

  /// A received piece with the content that it must have for as long as its lease lasts.
  final class Piece {
    private final Block block;
    private final int offset;
    private final byte[] bytes;

    Piece(Event event) {
      block = Objects.requireNonNull(event.chunk());
      offset = event.offset();
      bytes = event.bytes();
      assertThat(offset).isBetween(0, (int) block.lengthBytes() - bytes.length);
    }

    Block block() {
      return block;
    }

    byte[] bytes() {
      return bytes;
    }

    void check() {
      assertThat(block.segment().asSlice(offset, bytes.length).toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(bytes);
    }

    boolean overlaps(Piece other) {
      return block.equals(other.block)
          && offset < other.offset + other.bytes.length
          && other.offset < offset + bytes.length;
    }
  }

  /// Sends a message on each connection and returns the pieces in which they arrive.
  private List<Piece> exchange(Pair[] pairs, long[] tokens, Random random) throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < pairs.length; i++) {
      byte[] message = new byte[1 + random.nextInt(60)];
      random.nextBytes(message);
      pairs[i].peer().write(message);
      for (int got = 0; got < message.length; ) {
        Piece piece = new Piece(rig().await(tokens[i]));
        for (byte each : piece.bytes()) {
          assertThat(each).isEqualTo(message[got++]);
        }
        pieces.add(piece);
      }
    }
    return pieces;
  }

  private void serve(Pair[] pairs, long[] tokens) throws IOException {
    rig().configure(new EngineConfig(PIECE_BLOCKS, PIECE_BLOCK_BYTES, 64));
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = rig().pair();
      tokens[i] = rig().token();
      rig().sockets().receive(pairs[i].socket(), tokens[i]);
    }
    rig().turn(0);
    rig().holdChunks();
  }

  /// Releases pieces at random: some at once, some much later, in any order and on any thread.
  /// `-Dsluice.seed=N` repeats a run.
  @Test
  default void piecesLiveApartInAnyOrder() throws IOException {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("pieces: seed " + seed);
    Random random = new Random(seed);
    Pair[] pairs = new Pair[3];
    long[] tokens = new long[pairs.length];
    serve(pairs, tokens);
    ChunkArena arena = rig().sockets().arena();
    List<Piece> held = new ArrayList<>();
    for (int round = 0; round < 200; round++) {
      for (Piece piece : exchange(pairs, tokens, random)) {
        assertThat(held).noneMatch(piece::overlaps);
        held.add(piece);
      }
      held.forEach(Piece::check);
      checkLeases(arena, held);
      while (held.size() > 3 || (!held.isEmpty() && random.nextInt(3) == 0)) {
        Block block = held.remove(random.nextInt(held.size())).block();
        if (random.nextInt(8) == 0) {
          rig().peers.later(0, block::release).join();
          arena.reclaim();
        } else {
          block.release();
        }
      }
    }
    held.forEach(piece -> piece.block().release());
    assertThat(arena.free()).isEqualTo(PIECE_BLOCKS);
  }

  /// Checks that each piece has a lease, that the engine has at most one more, and that a block
  /// with pieces is not free.
  private static void checkLeases(ChunkArena arena, List<Piece> held) {
    Map<Block, Integer> pieces = new HashMap<>();
    held.forEach(piece -> pieces.merge(piece.block(), 1, Integer::sum));
    pieces.forEach((block, count) -> assertThat(block.leases()).isBetween(count, count + 1));
    assertThat(arena.free()).isEqualTo(PIECE_BLOCKS - pieces.size());
  }

  /// Checks that the kernel reuses the block of a held piece only after the last lease.
  @Test
  default void blockIsFilledAgainAfterItsLastPieceOnly() throws IOException {
    Random random = new Random(5);
    Pair[] pairs = new Pair[2];
    long[] tokens = new long[pairs.length];
    serve(pairs, tokens);
    ChunkArena arena = rig().sockets().arena();
    Deque<Piece> kept = new ArrayDeque<>(exchange(pairs, tokens, random));
    while (!kept.isEmpty()) {
      for (int round = 0; round < 4 * PIECE_BLOCKS * PIECE_BLOCK_BYTES / 60; round++) {
        for (Piece other : exchange(pairs, tokens, random)) {
          assertThat(kept).noneMatch(other::overlaps);
          other.block().release();
        }
      }
      kept.forEach(Piece::check);
      kept.removeFirst().block().release();
    }
    assertThat(arena.free()).isEqualTo(PIECE_BLOCKS);
    for (int i = 0; i < PIECE_BLOCKS; i++) {
      Block block = arena.block(i);
      if (block.leases() == 0) { // else the kernel keeps filling it
        assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
      }
    }
  }
}
