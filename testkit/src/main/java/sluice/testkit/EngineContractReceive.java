package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ECANCELED;
import static sluice.sys.Errno.ECONNRESET;
import static sluice.sys.Errno.ENOBUFS;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.memory.block.Block;
import sluice.testbase.Await;
import sluice.testkit.EngineContractRig.Event;

/// Tests of receiving into chunks of the arena, and of the ways in which a receive ends.
interface EngineContractReceive {
  EngineContractRig rig();

  private long receive(EngineContractRig.Pair pair) throws IOException {
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    return token;
  }

  private static Block chunk(Event event) {
    return Objects.requireNonNull(event.chunk());
  }

  @Test
  default void receiverOwnsTheChunkUntilItsLastLeaseEnds() throws IOException {
    var pair = rig().pair();
    rig().holdChunks();
    ChunkArena arena = rig().sockets().arena();
    assertThat(arena.count()).isEqualTo(64);
    assertThat(arena.chunkBytes()).isEqualTo(1024);
    assertThat(arena.segment().byteSize()).isEqualTo(64 * 1024);
    int free = arena.free();
    long token = receive(pair);
    pair.peer().write(new byte[] {7, 8, 9});
    Event event = rig().await(token);
    assertThat(event.bytes()).containsExactly(7, 8, 9);
    assertThat(event.more()).isTrue();
    Block block = chunk(event);
    assertThat(arena.free()).isEqualTo(free - 1);
    assertThat(block.segment().address() - arena.segment().address()).isBetween(0L, 63L * 1024);
    block.lease();
    block.release();
    assertThat(arena.free()).isEqualTo(free - 1);
    block.release();
    assertThat(arena.free()).isEqualTo(free);
  }

  @Test
  default void chunkReleasedElsewhereComesBackWithReclaim() throws IOException {
    var pair = rig().pair();
    rig().holdChunks();
    ChunkArena arena = rig().sockets().arena();
    int free = arena.free();
    long token = receive(pair);
    pair.peer().write(new byte[100]);
    Block block = chunk(rig().await(token));
    rig().peers.later(0, block::release).join();
    arena.reclaim();
    assertThat(arena.free()).isEqualTo(free);
  }

  @Test
  default void longStreamArrivesInOrderThroughSmallChunks() throws IOException {
    rig().configure(new EngineConfig(8, 128, 64));
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(300_000, 5);
    var writer = rig().peers.later(0, () -> pair.peer().write(bytes));
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    long token = receive(pair);
    while (got.size() < bytes.length) {
      Event event = rig().await(token);
      if (event.result() == -ENOBUFS) { // more in one turn than chunks: all are free by now
        assertThat(event.more()).isFalse();
        token = receive(pair);
      } else {
        assertThat(event.result()).isBetween(1, 128);
        got.write(event.bytes());
      }
    }
    writer.join();
    assertThat(got.toByteArray()).isEqualTo(bytes);
  }

  @Test
  default void emptyArenaEndsTheReceiveAndLosesNothing() throws IOException {
    rig().configure(new EngineConfig(4, 256, 64));
    var pair = rig().pair();
    rig().holdChunks();
    byte[] bytes = EngineContractRig.randomBytes(4096, 6);
    pair.peer().write(bytes);
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    for (int shortages = 0; got.size() < bytes.length; ) {
      long token = receive(pair);
      List<Block> held = new ArrayList<>();
      Event event = rig().await(token);
      while (event.result() > 0 && got.size() + event.result() < bytes.length) {
        held.add(chunk(event));
        got.write(event.bytes());
        event = rig().await(token);
      }
      if (event.result() > 0) {
        held.add(chunk(event));
        got.write(event.bytes());
        assertThat(shortages).isPositive();
      } else {
        assertThat(event.result()).isEqualTo(-ENOBUFS);
        assertThat(event.more()).isFalse();
        assertThat(Set.copyOf(held)).hasSize(4);
        assertThat(rig().sockets().arena().free()).isZero();
        rig().assertSilent(token);
        shortages++;
      }
      held.forEach(Block::release);
    }
    assertThat(got.toByteArray()).isEqualTo(bytes);
  }

  @Test
  default void whatIsTakenDirectlyFollowsTheReceiveForOnce() throws IOException {
    var pair = rig().pair();
    KernelTransport sockets = rig().sockets();
    MemorySegment into = rig().segment(new byte[10_000]);
    if (!sockets.receivesDirectly(pair.socket())) {
      assertThatThrownBy(() -> sockets.receiveOnce(pair.socket(), rig().token()))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> sockets.tryReceive(pair.socket(), into, 0, 1))
          .isInstanceOf(UnsupportedOperationException.class);
      return;
    }
    assertThat(sockets.tryReceive(pair.socket(), into, 0, 1)).isEqualTo(-EAGAIN);
    byte[] bytes = EngineContractRig.randomBytes(200_000, 8);
    var writer =
        rig()
            .peers
            .later(
                0,
                () -> {
                  pair.peer().write(bytes);
                  pair.peer().shutdownOutput();
                });
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    while (got.size() < bytes.length) {
      long token = rig().token();
      sockets.receiveOnce(pair.socket(), token);
      Event event = rig().await(token);
      assertThat(event.result()).isBetween(1, 1024);
      assertThat(event.more()).isFalse();
      got.write(event.bytes());
      int taken = sockets.tryReceive(pair.socket(), into, 5, 9_000);
      if (taken > 0) {
        got.write(into.asSlice(5, taken).toArray(ValueLayout.JAVA_BYTE));
      } else {
        assertThat(taken).isIn(0, -EAGAIN);
      }
    }
    writer.join();
    assertThat(got.toByteArray()).isEqualTo(bytes);
    long token = rig().token();
    sockets.receiveOnce(pair.socket(), token);
    assertThat(rig().await(token).result()).isZero();
    assertThat(sockets.tryReceive(pair.socket(), into, 0, 1)).isZero();
  }

  @Test
  default void endOfStreamIsZeroAfterTheLastBytes() throws IOException {
    var pair = rig().pair();
    long token = receive(pair);
    pair.peer().write(new byte[] {1, 2});
    pair.peer().shutdownOutput();
    assertThat(rig().awaitBytes(token, 2)).containsExactly(1, 2);
    Event end = rig().await(token);
    assertThat(end.result()).isZero();
    assertThat(end.more()).isFalse();
    assertThat(end.chunk()).isNull();
    rig().assertSilent(token);
  }

  @Test
  default void halfClosedPeerStillReads() throws IOException {
    var pair = rig().pair();
    long token = receive(pair);
    pair.peer().shutdownOutput();
    assertThat(rig().await(token).result()).isZero();
    byte[] bytes = EngineContractRig.randomBytes(500, 7);
    rig().sockets().send(pair.socket(), rig().token(), rig().segment(bytes), 0, bytes.length);
    rig().turn(0);
    assertThat(pair.peer().read(bytes.length)).isEqualTo(bytes);
  }

  @Test
  default void ownHalfCloseStillReceives() throws IOException {
    var pair = rig().pair();
    long token = receive(pair);
    rig().sockets().shutdown(pair.socket(), 1);
    rig().turn(0);
    assertThat(pair.peer().readsEnd()).isTrue();
    pair.peer().write(new byte[] {4, 5, 6});
    assertThat(rig().awaitBytes(token, 3)).containsExactly(4, 5, 6);
    pair.peer().close();
    assertThat(rig().await(token).result()).isZero();
  }

  @Test
  default void shutdownOfReceivingEndsTheReceive() throws IOException {
    var pair = rig().pair();
    long token = receive(pair);
    rig().sockets().shutdown(pair.socket(), 0);
    Event end = rig().await(token);
    assertThat(end.result()).isZero();
    assertThat(end.more()).isFalse();
  }

  @Test
  default void resetEndsTheReceive() throws IOException {
    var pair = rig().pair();
    long token = receive(pair);
    pair.peer().reset();
    Event end = rig().await(token);
    assertThat(end.result()).isEqualTo(-ECONNRESET);
    assertThat(end.more()).isFalse();
    rig().assertSilent(token);
  }

  @Test
  default void cancelledReceiveLeavesLaterBytesInTheSocket() throws IOException {
    var pair = rig().pair();
    long first = receive(pair);
    pair.peer().write(new byte[] {1});
    rig().awaitBytes(first, 1);
    rig().engine().cancel(first);
    Event end = rig().await(first);
    assertThat(end.result()).isEqualTo(-ECANCELED);
    assertThat(end.more()).isFalse();
    pair.peer().write(new byte[] {2, 3});
    rig().assertSilent(first);
    assertThat(rig().awaitBytes(receive(pair), 2)).containsExactly(2, 3);
  }

  @Test
  default void receiveArmedAndCancelledInOneTurnEnds() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().engine().cancel(token);
    assertThat(rig().await(token).result()).isEqualTo(-ECANCELED);
  }

  /// Checks that back-pressure does not turn into a busy loop.
  @Test
  default void bytesWithoutAReceiveDoNotEndWaits() throws IOException {
    var pair = rig().pair();
    long token = receive(pair);
    rig().engine().cancel(token);
    assertThat(rig().await(token).result()).isEqualTo(-ECANCELED);
    pair.peer().write(new byte[100]);
    pair.peer().shutdownOutput();
    rig().turn(20 * EngineContractRig.MILLIS);
    long calls = rig().engine().systemCalls();
    long start = rig().peers.nanos();
    while (rig().peers.nanos() - start < 50 * EngineContractRig.MILLIS) {
      assertThat(rig().turn(50 * EngineContractRig.MILLIS)).isZero();
    }
    assertThat(rig().engine().systemCalls() - calls).isLessThan(20);
    rig().awaitBytes(receive(pair), 100);
  }

  @Test
  default void socketsReceiveSideBySide() throws IOException {
    List<EngineContractRig.Pair> pairs = new ArrayList<>();
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      pairs.add(rig().pair());
      tokens.add(receive(pairs.get(i)));
    }
    for (int i = 0; i < 10; i++) {
      pairs.get(i).peer().write(EngineContractRig.randomBytes(700, i));
    }
    for (int i = 9; i >= 0; i--) {
      byte[] expected = EngineContractRig.randomBytes(700, i);
      assertThat(rig().awaitBytes(tokens.get(i), 700)).isEqualTo(expected);
    }
  }

  /// Checks that input caused by a sink at its first completion arrives after all input that the
  /// turn delivers. Here it is input for another socket.
  @Test
  default void allInputOfATurnComesBeforeItsFirstCompletion() throws IOException {
    var a = rig().pair();
    var b = rig().pair();
    long tokenA = receive(a);
    long tokenB = receive(b);
    for (int round = 0; round < 20; round++) {
      a.peer().write(new byte[] {1});
      List<Long> order = new ArrayList<>();
      Await await = new Await();
      while (order.isEmpty()) {
        await.check("what arrives");
        rig()
            .engine()
            .turn(
                EngineContractRig.SECONDS,
                (token, result, flags) -> {
                  order.add(token);
                  writeTo(b);
                  release(flags);
                });
      }
      assertThat(order).containsExactly(tokenA);
      rig().awaitBytes(tokenB, 1);
    }
  }

  private static void writeTo(EngineContractRig.Pair pair) {
    try {
      pair.peer().write(new byte[] {2});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void release(long flags) {
    try {
      rig().sockets().arena().block(sluice.loop.engine.Completion.chunk(flags)).release();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
