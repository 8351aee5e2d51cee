package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ECANCELED;
import static sluice.sys.Errno.ECONNRESET;
import static sluice.sys.Errno.EPIPE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.SendVector;
import sluice.testkit.EngineContractRig.Event;

/// Tests of sends: silence is success, and failures are reported.
interface EngineContractSend {
  int MORE_THAN_FITS = 32 << 20;

  EngineContractRig rig();

  private void send(int socket, long token, MemorySegment bytes) throws IOException {
    rig().sockets().send(socket, token, bytes, 0, (int) bytes.byteSize());
  }

  @Test
  default void sendThatFitsIsSilent() throws IOException {
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(1000, 1);
    MemorySegment segment = rig().segment(bytes);
    long token = rig().token();
    rig().sockets().send(pair.socket(), token, segment, 100, 800);
    assertThat(rig().turn(0)).isZero();
    segment.fill((byte) 0); // the turn is over: the bytes are free again
    assertThat(pair.peer().read(800)).isEqualTo(Arrays.copyOfRange(bytes, 100, 900));
    rig().assertSilent(token);
  }

  @Test
  default void sendsOfOneTurnReachTheirOwnPeers() throws IOException {
    var first = rig().pair();
    var second = rig().pair();
    send(first.socket(), rig().token(), rig().segment(new byte[] {1, 2}));
    send(second.socket(), rig().token(), rig().segment(new byte[] {3, 4, 5}));
    assertThat(rig().turn(0)).isZero();
    assertThat(first.peer().read(2)).containsExactly(1, 2);
    assertThat(second.peer().read(3)).containsExactly(3, 4, 5);
  }

  /// Checks that the state that an engine keeps for a frequent sender is dropped on close, because
  /// numbers are reused.
  @Test
  default void aSocketThatSentOftenEndsWhenItIsClosed() throws IOException {
    MemorySegment bytes = rig().segment(new byte[] {1, 2, 3, 4});
    for (int i = 0; i < 20; i++) {
      EngineContractRig.Pair pair = rig().pair();
      for (int sent = 0; sent < bytes.byteSize(); sent++) {
        rig().sockets().send(pair.socket(), rig().token(), bytes, sent, 1);
        rig().turn(0);
      }
      assertThat(pair.peer().read((int) bytes.byteSize())).containsExactly(1, 2, 3, 4);
      rig().sockets().close(pair.socket());
      rig().turn(0);
      assertThat(pair.peer().readsEnd()).isTrue();
    }
  }

  @Test
  default void vectorThatFitsIsSilentAndInOrder() throws IOException {
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(100 * SendVector.LIMIT, 2);
    MemorySegment segment = rig().segment(bytes);
    SendVector vector = new SendVector();
    for (int i = 0; i < SendVector.LIMIT; i++) {
      vector.add(segment, 100L * i, 100);
    }
    long token = rig().token();
    rig().sockets().sendVector(pair.socket(), token, vector);
    vector.clear(); // copied when it was staged
    assertThat(rig().turn(0)).isZero();
    assertThat(pair.peer().read(bytes.length)).isEqualTo(bytes);
    rig().assertSilent(token);
  }

  @Test
  default void fullSocketAnswersInTheSameTurnAndSendAllFinishes() throws IOException {
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(MORE_THAN_FITS, 3);
    MemorySegment segment = rig().segment(bytes);
    int taken = rig().fill(pair.socket(), segment);
    finish(pair, segment, bytes, taken);
  }

  @Test
  default void vectorThatDoesNotFitAnswersInTheSameTurn() throws IOException {
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(MORE_THAN_FITS, 4);
    MemorySegment segment = rig().segment(bytes);
    SendVector vector = new SendVector();
    int piece = MORE_THAN_FITS / SendVector.LIMIT;
    for (int i = 0; i < SendVector.LIMIT; i++) {
      vector.add(segment, (long) piece * i, piece);
    }
    long token = rig().token();
    rig().sockets().sendVector(pair.socket(), token, vector);
    rig().turn(0);
    Event event = rig().poll(token);
    assertThat(event).isNotNull();
    finish(pair, segment, bytes, event == null ? 0 : event.result());
  }

  /// Sends the rest with `sendAll` while the peer reads everything.
  private void finish(EngineContractRig.Pair pair, MemorySegment segment, byte[] bytes, int taken)
      throws IOException {
    assertThat(taken).isGreaterThanOrEqualTo(0).isLessThan(bytes.length);
    long all = rig().token();
    int rest = bytes.length - taken;
    rig().sockets().sendAll(pair.socket(), all, segment, taken, rest);
    rig().turn(0);
    assertThat(rig().poll(all)).isNull();
    var reader =
        rig().peers.later(0, () -> assertThat(pair.peer().read(bytes.length)).isEqualTo(bytes));
    Event done = rig().await(all);
    assertThat(done.result()).isEqualTo(rest);
    assertThat(done.more()).isFalse();
    reader.join();
    rig().assertSilent(all);
  }

  @Test
  default void sendToAFullSocketIsEagain() throws IOException {
    var pair = rig().pair();
    MemorySegment segment = rig().segment(new byte[MORE_THAN_FITS]);
    long token = 0;
    int result = 0;
    for (int attempt = 0; attempt < 20 && result >= 0; attempt++) {
      rig().fillUp(pair.socket(), segment); // the kernel may move some bytes just after
      token = rig().token();
      send(pair.socket(), token, segment);
      rig().turn(0);
      Event event = rig().poll(token);
      assertThat(event).isNotNull();
      result = event == null ? 0 : event.result();
    }
    assertThat(result).isEqualTo(-EAGAIN);
    rig().assertSilent(token);
  }

  @Test
  default void sendAllThatFitsCompletesOnce() throws IOException {
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(2000, 5);
    long token = rig().token();
    rig().sockets().sendAll(pair.socket(), token, rig().segment(bytes), 0, bytes.length);
    Event done = rig().await(token);
    assertThat(done.result()).isEqualTo(bytes.length);
    assertThat(done.more()).isFalse();
    assertThat(pair.peer().read(bytes.length)).isEqualTo(bytes);
    rig().assertSilent(token);
  }

  @Test
  default void cancelledSendAllEnds() throws IOException {
    var pair = rig().pair();
    MemorySegment segment = rig().segment(new byte[MORE_THAN_FITS]);
    rig().fill(pair.socket(), segment);
    long token = rig().token();
    rig().sockets().sendAll(pair.socket(), token, segment, 0, MORE_THAN_FITS);
    rig().turn(0);
    rig().engine().cancel(token);
    Event end = rig().await(token);
    assertThat(end.result()).isLessThan(MORE_THAN_FITS);
    assertThat(end.result() >= 0 || end.result() == -ECANCELED).isTrue();
    assertThat(end.more()).isFalse();
    rig().assertSilent(token);
  }

  @Test
  default void sendAllEndsWhenThePeerResets() throws IOException {
    var pair = rig().pair();
    MemorySegment segment = rig().segment(new byte[MORE_THAN_FITS]);
    long token = rig().token();
    rig().sockets().sendAll(pair.socket(), token, segment, 0, MORE_THAN_FITS);
    rig().turn(0);
    pair.peer().reset();
    int result = rig().await(token).result();
    assertThat(result).isLessThan(MORE_THAN_FITS);
    assertThat(result >= 0 || result == -ECONNRESET || result == -EPIPE).isTrue();
    rig().assertSilent(token);
  }

  @Test
  default void sendAfterAResetFailsInItsTurn() throws IOException {
    var pair = rig().pair();
    long receive = rig().token();
    rig().sockets().receive(pair.socket(), receive);
    rig().turn(0);
    pair.peer().reset();
    assertThat(rig().await(receive).result()).isEqualTo(-ECONNRESET);
    long token = rig().token();
    send(pair.socket(), token, rig().segment(new byte[10]));
    rig().turn(0);
    Event event = rig().poll(token);
    assertThat(event).isNotNull();
    assertThat(event == null ? 0 : event.result()).isIn(-ECONNRESET, -EPIPE);
  }

  @Test
  default void emptySocketIsWritableAtOnce() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    rig().sockets().awaitWritable(pair.socket(), token);
    Event event = rig().await(token);
    assertThat(event.result()).isPositive();
    assertThat(event.more()).isFalse();
    rig().assertSilent(token);
  }

  /// A full socket with a wait for room in it.
  ///
  /// @param taken the number of bytes that it holds
  /// @param token the token of the wait
  record Full(int taken, long token) {}

  /// Fills a socket. The kernel may move bytes to the peer late; then there is room again, and the
  /// socket is filled once more.
  private Full full(EngineContractRig.Pair pair) throws IOException {
    MemorySegment bytes = rig().segment(new byte[MORE_THAN_FITS]);
    int taken = 0;
    for (int attempt = 0; attempt < 50; attempt++) {
      taken += rig().fillUp(pair.socket(), bytes);
      long token = rig().token();
      rig().sockets().awaitWritable(pair.socket(), token);
      if (rig().staysSilent(token)) {
        return new Full(taken, token);
      }
    }
    throw new AssertionError("the socket does not stay full");
  }

  @Test
  default void fullSocketIsWritableWhenThePeerHasRead() throws IOException {
    var pair = rig().pair();
    Full full = full(pair);
    var reader = rig().peers.later(0, () -> pair.peer().read(full.taken()));
    assertThat(rig().await(full.token()).result()).isPositive();
    reader.join();
  }

  @Test
  default void cancelledWaitForRoomEnds() throws IOException {
    long token = full(rig().pair()).token();
    rig().engine().cancel(token);
    assertThat(rig().await(token).result()).isEqualTo(-ECANCELED);
    rig().assertSilent(token);
  }

  /// Checks that input is received while a send waits for room.
  @Test
  default void blockedSendDoesNotHoldUpTheReceive() throws IOException {
    var pair = rig().pair();
    MemorySegment segment = rig().segment(new byte[MORE_THAN_FITS]);
    long receive = rig().token();
    rig().sockets().receive(pair.socket(), receive);
    rig().sockets().sendAll(pair.socket(), rig().token(), segment, 0, MORE_THAN_FITS);
    rig().turn(0);
    pair.peer().write(new byte[] {1, 2, 3});
    assertThat(rig().awaitBytes(receive, 3)).containsExactly(1, 2, 3);
  }

  @Test
  default void sendAfterOwnShutdownFails() throws IOException {
    var pair = rig().pair();
    rig().sockets().shutdown(pair.socket(), 1);
    rig().turn(0);
    long token = rig().token();
    send(pair.socket(), token, rig().segment(new byte[10]));
    rig().turn(0);
    assertThat(rig().poll(token)).isNotNull().extracting(Event::result).isEqualTo(-EPIPE);
    assertThat(pair.peer().readsEnd()).isTrue();
  }
}
