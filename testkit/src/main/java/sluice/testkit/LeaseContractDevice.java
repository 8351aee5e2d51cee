package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.sys.Errno.ECANCELED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.loop.Connection;
import sluice.loop.Protocol;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.EngineConfig;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.memory.block.Block;
import sluice.testkit.EngineContractPeers.Peer;
import sluice.testkit.EngineContractRig.Event;
import sluice.testkit.EngineContractRig.Pair;

/// Tests of memory used by a device: an operation in flight keeps the memory alive, whichever other
/// holders release it.
interface LeaseContractDevice {
  EngineContractRig rig();

  LeaseContractRig loops();

  private static Block allocate(Account account, byte[] bytes) {
    Block block = Objects.requireNonNull(Block.allocate(account, bytes.length));
    MemorySegment.copy(bytes, 0, block.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
    return block;
  }

  private static byte[] bytes(Block block, int count) {
    return block.segment().asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
  }

  /// Overwrites free memory of the allocator, so that memory that was freed too early changes.
  private static void churn(int bytes) {
    Account account = new Account("churn", Long.MAX_VALUE);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Block block = Objects.requireNonNull(Block.allocate(account, bytes));
      block.segment().fill((byte) 0x5a);
      blocks.add(block);
    }
    blocks.forEach(Block::release);
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  default void chunkThatTheDeviceMayFillHasNoHolder() throws IOException {
    Pair pair = rig().pair();
    rig().sockets().receive(pair.socket(), rig().token());
    rig().turn(0);
    ChunkArena arena = rig().sockets().arena();
    for (int chunk = 0; chunk < arena.count(); chunk++) {
      Block block = arena.block(chunk);
      assertThatThrownBy(() -> Memory.over(block, 0, 1)).isInstanceOf(IllegalStateException.class);
    }
  }

  /// Checks a receive that is always armed: its input must arrive in memory without another holder.
  @Test
  default void revokedChunkIsNotFilledBeforeItsLastLeaseEnds() throws IOException {
    rig().configure(new EngineConfig(4, 1024, 64));
    Pair pair = rig().pair();
    rig().holdChunks();
    byte[] first = EngineContractRig.randomBytes(1024, 1);
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    pair.peer().write(first);
    Block chunk = Objects.requireNonNull(rig().await(token).chunk());
    Memory given = Memory.over(chunk, 0, first.length);
    chunk.release();
    pair.peer().write(EngineContractRig.randomBytes(1024, 2)); // on its way while we revoke
    Memory kept = given.revokeNow();
    assertThatThrownBy(() -> given.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> given.set(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    rig()
        .peers
        .later(
            0,
            () ->
                assertThatThrownBy(() -> given.slice(1, 1).get(0))
                    .isInstanceOf(IllegalStateException.class))
        .join();
    for (int i = 2; i < 20; i++) {
      Event event = rig().await(token);
      assertThat(event.bytes()).isEqualTo(EngineContractRig.randomBytes(1024, i));
      Block other = Objects.requireNonNull(event.chunk());
      assertThat(other).isNotSameAs(chunk);
      other.release();
      pair.peer().write(EngineContractRig.randomBytes(1024, i + 1));
    }
    assertThat(bytes(chunk, first.length)).isEqualTo(first);
    Objects.requireNonNull(rig().await(token).chunk()).release();
    rig().peers.later(0, kept::close).join();
    awaitReuse(pair, token, chunk);
  }

  /// Checks that the chunk is used again once it is not held.
  private void awaitReuse(Pair pair, long token, Block chunk) throws IOException {
    List<Block> out = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      rig().sockets().arena().reclaim();
      pair.peer().write(new byte[1024]);
      out.add(Objects.requireNonNull(rig().await(token).chunk()));
    }
    assertThat(out).contains(chunk);
    out.forEach(Block::release);
  }

  /// Checks the opposite order: if the receive is cancelled first, input that the kernel had
  /// already received still belongs to the receiver.
  @Test
  default void chunkFilledAsTheReceiveIsCancelledIsTheReceivers() throws IOException {
    Pair pair = rig().pair();
    rig().holdChunks();
    int free = rig().sockets().arena().free();
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    pair.peer().write(EngineContractRig.randomBytes(700, 3));
    rig().engine().cancel(token);
    List<Block> received = new ArrayList<>();
    Event event = rig().await(token);
    while (event.result() > 0) {
      received.add(Objects.requireNonNull(event.chunk()));
      assertThat(event.bytes()).isEqualTo(EngineContractRig.randomBytes(700, 3));
      event = rig().await(token);
    }
    assertThat(event.result()).isEqualTo(-ECANCELED);
    assertThat(rig().sockets().arena().free()).isEqualTo(free - received.size());
    received.forEach(Block::release);
    assertThat(rig().sockets().arena().free()).isEqualTo(free);
  }

  @Test
  default void sendInFlightOutlivesEveryOtherLease() throws IOException {
    Pair pair = rig().pair();
    Account account = new Account("sent", Long.MAX_VALUE);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 4);
    Block block = allocate(account, bytes);
    Memory memory = Memory.over(block, 0, bytes.length);
    Block devices = block.lease();
    long token = rig().token();
    rig().sockets().sendAll(pair.socket(), token, devices.segment(), 0, bytes.length);
    rig().turn(0);
    memory.revokeNow().close();
    block.release();
    assertThatThrownBy(() -> memory.set(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    assertThat(rig().poll(token)).isNull();
    churn(bytes.length);
    var reader =
        rig().peers.later(0, () -> assertThat(pair.peer().read(bytes.length)).isEqualTo(bytes));
    assertThat(rig().await(token).result()).isEqualTo(bytes.length);
    assertThat(account.usedBytes()).isEqualTo(bytes.length);
    devices.release();
    assertThat(account.usedBytes()).isZero();
    churn(bytes.length);
    reader.join();
  }

  @Test
  default void cancelledSendIsOverWhenItCompletes() throws IOException {
    Pair pair = rig().pair();
    Account account = new Account("sent", Long.MAX_VALUE);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 5);
    Block devices = allocate(account, bytes);
    long token = rig().token();
    rig().sockets().sendAll(pair.socket(), token, devices.segment(), 0, bytes.length);
    rig().turn(0);
    rig().engine().cancel(token);
    // If a part was already sent when the send was cancelled, the result may be the number of
    // bytes.
    assertThat(rig().await(token).result()).isLessThan(bytes.length);
    devices.release();
    churn(bytes.length);
    rig().sockets().shutdown(pair.socket(), 1);
    rig().turn(0);
    assertThat(account.usedBytes()).isZero();
    rig().peers.later(0, () -> readsBeginningOf(bytes, pair.peer())).join();
  }

  private static void readsBeginningOf(byte[] bytes, Peer peer) throws IOException {
    int at = 0;
    try {
      while (true) {
        assertThat(peer.read(1)[0]).isEqualTo(bytes[at++]);
        for (byte each : peer.readAvailable(1 << 20)) {
          assertThat(each).isEqualTo(bytes[at++]);
        }
      }
    } catch (IOException end) {
      assertThat(at).isLessThan(bytes.length);
    }
  }

  /// Checks that closing waits for all operations: afterwards, no device touches the memory.
  @Test
  default void nothingIsInFlightAfterClose() throws IOException {
    Pair receiving = rig().pair();
    Pair sending = rig().pair();
    Account account = new Account("sent", Long.MAX_VALUE);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 6);
    Block devices = allocate(account, bytes);
    rig().holdChunks();
    long token = rig().token();
    rig().sockets().receive(receiving.socket(), token);
    rig().sockets().sendAll(sending.socket(), rig().token(), devices.segment(), 0, bytes.length);
    rig().turn(0);
    receiving.peer().write(new byte[] {1, 2, 3});
    Event event = rig().await(token);
    Block chunk = Objects.requireNonNull(event.chunk());
    Memory kept = Memory.readOnlyOver(chunk, event.offset(), 3);
    chunk.release();
    receiving.peer().write(new byte[500]); // arrives, but is never delivered
    rig().engine().close();
    devices.release();
    Block reused = allocate(account, bytes);
    Block beside = allocate(account, new byte[64 << 10]);
    writeInto(receiving.peer());
    assertThat(reused.segment().mismatch(MemorySegment.ofArray(bytes))).isEqualTo(-1);
    assertThat(beside.segment().mismatch(MemorySegment.ofArray(new byte[64 << 10]))).isEqualTo(-1);
    byte[] got = new byte[3];
    kept.copyTo(0, got, 0, 3);
    assertThat(got).containsExactly(1, 2, 3);
    rig().peers.later(0, kept::close).join();
    assertThatThrownBy(() -> kept.get(0)).isInstanceOf(IllegalStateException.class);
    reused.release();
    beside.release();
    assertThat(account.usedBytes()).isZero();
  }

  private static void writeInto(Peer closed) {
    try {
      for (int i = 0; i < 10; i++) {
        closed.write(new byte[1000]);
      }
    } catch (IOException expected) {
      assertThat(expected).isNotNull();
    }
  }

  /// Answers every message with a block that has no other holder.
  private Protocol answersWith(byte[] bytes, Account account, List<Block> made) {
    return new Protocol() {
      @Override
      public int received(Connection connection, View input) {
        Block block = allocate(account, bytes);
        Memory memory = Memory.over(block, 0, bytes.length);
        connection.output().append(block, 0, bytes.length);
        block.release();
        memory.revokeNow().close();
        made.add(block);
        return input.length();
      }
    };
  }

  @Test
  default void loopLeasesWhatItSends() throws IOException {
    Account account = new Account("replies", Long.MAX_VALUE);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 7);
    List<Block> made = new ArrayList<>();
    loops().serve(answersWith(bytes, account, made));
    Peer peer = loops().connect();
    peer.write(new byte[1]);
    loops().turnUntil("a blocked send", () -> loops().loop().counters().shortSends() > 0);
    assertThat(made).hasSize(1);
    assertThat(made.getFirst().leases()).isEqualTo(1);
    churn(bytes.length);
    loops().during("reading", () -> assertThat(peer.read(bytes.length)).isEqualTo(bytes));
    loops().turnUntil("the block is freed", () -> account.usedBytes() == 0);
  }

  @Test
  default void abortedConnectionKeepsItsBytesUntilTheSendIsOver() throws IOException {
    Account account = new Account("replies", Long.MAX_VALUE);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 8);
    loops().serve(answersWith(bytes, account, new ArrayList<>()));
    Peer peer = loops().connect();
    peer.write(new byte[1]);
    loops().turnUntil("a blocked send", () -> loops().loop().counters().shortSends() > 0);
    peer.reset();
    loops().turnUntil("the end", () -> loops().loop().connectionCount() == 0);
    assertThat(account.usedBytes()).isZero();
    assertThat(loops().loop().heldBytes()).isZero();
  }

  @Test
  default void closedLoopGivesBackWhatItWasSending() throws IOException {
    Account account = new Account("replies", Long.MAX_VALUE);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 9);
    loops().serve(answersWith(bytes, account, new ArrayList<>()));
    List<Peer> peers = loops().connect(3);
    for (Peer peer : peers) {
      peer.write(new byte[1]);
    }
    loops().turnUntil("blocked sends", () -> loops().loop().counters().shortSends() >= 3);
    loops().loop().close();
    assertThat(account.usedBytes()).isZero();
    assertThat(loops().loop().heldBytes()).isZero();
  }
}
