package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Closing one direction of a stream.
class HalfCloseTest extends Scenario {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterShutdownOfOutputThePeerSeesTheEndAndStillSends(boolean selected) throws Exception {
    Link link = link();
    if (selected) {
      register(link.near(), selector(), OP_READ).selector().selectNow();
    }
    writeFully(link.near(), text("question"));
    assertThat(link.near().shutdownOutput()).isSameAs(link.near());
    assertThat(text(link.far().getInputStream().readAllBytes())).isEqualTo("question");
    send(link.far(), "answer");
    assertThat(text(readFully(link.near(), 6))).isEqualTo("answer");
    assertThatThrownBy(() -> link.near().write(text("more")))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> link.near().write(new ByteBuffer[] {text("more")}))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(link.near().isOpen()).isTrue();
    assertThat(link.near().isConnected()).isTrue();
    link.near().shutdownOutput();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterShutdownOfInputReadsEndAndWritesGoOn(boolean selected) throws Exception {
    Link link = link();
    if (selected) {
      register(link.near(), selector(), OP_READ).selector().selectNow();
    }
    assertThat(link.near().shutdownInput()).isSameAs(link.near());
    assertThat(link.near().read(ByteBuffer.allocate(4))).isEqualTo(-1);
    assertThat(link.near().read(new ByteBuffer[] {ByteBuffer.allocate(4)})).isEqualTo(-1);
    writeFully(link.near(), text("still here"));
    assertThat(text(receive(link.far(), 10))).isEqualTo("still here");
    link.near().shutdownInput();
    assertThat(link.near().isOpen()).isTrue();
  }

  @Test
  void bytesThatWaitAreNotReadAfterShutdownOfInput() throws Exception {
    Link link = link();
    send(link.far(), "unread");
    link.near().configureBlocking(false);
    byte[] first = readFully(link.near(), 1);
    assertThat(first).hasSize(1);
    link.near().shutdownInput();
    assertThat(link.near().read(ByteBuffer.allocate(4))).isEqualTo(-1);
  }

  @Test
  void aShutDownInputIsReadable() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    link.near().shutdownInput();
    awaitReady(selector, key, OP_READ);
    assertThat(link.near().read(ByteBuffer.allocate(4))).isEqualTo(-1);
  }

  static Stream<Arguments> reads() {
    return calls(
        BlockedCall.READ,
        BlockedCall.SCATTERING_READ,
        BlockedCall.UNIX_READ,
        BlockedCall.STREAM_READ,
        BlockedCall.TRANSFER_FROM);
  }

  static Stream<Arguments> writes() {
    return calls(
        BlockedCall.WRITE,
        BlockedCall.GATHERING_WRITE,
        BlockedCall.UNIX_WRITE,
        BlockedCall.STREAM_WRITE,
        BlockedCall.TRANSFER_TO);
  }

  private static Stream<Arguments> calls(BlockedCall... calls) {
    return Stream.of(calls)
        .flatMap(call ->
            Stream.of(Task.Kind.values())
                .filter(call::canBeEnded)
                .map(kind -> Arguments.of(call, kind)));
  }

  @ParameterizedTest
  @MethodSource("reads")
  void shutdownOfInputEndsABlockedRead(BlockedCall call, Task.Kind kind) throws Exception {
    BlockedCall.Ready ready = call.prepare(this);
    SocketChannel near = (SocketChannel) ready.channel();
    Task<?> reading = kind.start(ready.call());
    reading.awaitBlocked(call.method);
    near.shutdownInput();
    long end = call == BlockedCall.TRANSFER_FROM ? 0 : -1;
    assertThat(((Number) reading.join()).longValue()).isEqualTo(end);
    assertThat(near.isOpen()).isTrue();
    assertThat(near.read(ByteBuffer.allocate(4))).isEqualTo(-1);
  }

  @ParameterizedTest
  @MethodSource("writes")
  void shutdownOfOutputEndsABlockedWrite(BlockedCall call, Task.Kind kind) throws Exception {
    endsByShutdown(call, kind, call.prepare(this));
  }

  @ParameterizedTest
  @MethodSource("writes")
  void alsoOneOfAChannelThatWasSelectedBefore(BlockedCall call, Task.Kind kind) throws Exception {
    BlockedCall.Ready ready = call.prepare(this);
    Selector selector = selector();
    SocketChannel near = (SocketChannel) ready.channel();
    SelectionKey key = register(near, selector, OP_READ | OP_WRITE);
    selector.selectNow();
    near.write(ByteBuffer.allocate(1000));
    key.cancel();
    selector.selectNow();
    near.configureBlocking(true);
    endsByShutdown(call, kind, ready);
  }

  private static void endsByShutdown(BlockedCall call, Task.Kind kind, BlockedCall.Ready ready)
      throws Exception {
    SocketChannel near = (SocketChannel) ready.channel();
    Task<?> writing = kind.start(ready.call());
    writing.awaitBlocked(call.method);
    Task.start(near::shutdownOutput).join();
    boolean ownWrite = call != BlockedCall.STREAM_WRITE && call != BlockedCall.TRANSFER_TO;
    assertThat(writing.failure())
        .isInstanceOf(ownWrite ? ClosedChannelException.class : IOException.class);
    assertThat(near.isOpen()).isTrue();
    assertThatThrownBy(() -> near.write(ByteBuffer.allocate(4)))
        .isInstanceOf(ClosedChannelException.class);
  }

  @RepeatedTest(30)
  void aWriteThatDoesNotWaitIsEndedAsWell() throws Exception {
    Link link = link();
    CountDownLatch begun = new CountDownLatch(1);
    Task<Integer> reading = Task.start(() -> link.far().getInputStream().readAllBytes().length);
    Task<?> writing =
        Task.start(() -> {
          while (true) {
            int _ = link.near().write(ByteBuffer.allocate(10));
            begun.countDown();
          }
        });
    begun.await();
    link.near().shutdownOutput();
    assertThat(writing.failure()).isInstanceOf(ClosedChannelException.class);
    assertThat(reading.join()).isPositive();
  }

  @Test
  void aResetIsNotToldAfterShutdownOfInput() throws Exception {
    Link link = link();
    link.far().setSoLinger(true, 0);
    link.far().close();
    assertThatThrownBy(() -> link.near().read(ByteBuffer.allocate(4)))
        .isInstanceOf(SocketException.class);
    link.near().configureBlocking(false);
    assertThatThrownBy(() -> link.near().read(ByteBuffer.allocate(4)))
        .isInstanceOf(SocketException.class);
    link.near().shutdownInput();
    assertThat(link.near().read(ByteBuffer.allocate(4))).isEqualTo(-1);
    link.near().configureBlocking(true);
    assertThat(link.near().read(ByteBuffer.allocate(4))).isEqualTo(-1);
  }

  @Test
  void aShutDownOutputIsWritable() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_WRITE);
    long written = 0;
    do {
      written += link.near().write(ByteBuffer.allocate(1000));
    } while (isReady(selector, key, 0) || isReady(selector, key, 20));
    Task.start(() -> link.near().shutdownOutput()).join();
    awaitReady(selector, key, OP_WRITE);
    assertThatThrownBy(() -> link.near().write(text("x")))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(link.far().getInputStream().readAllBytes()).hasSize((int) written);
  }

  @Test
  void bothDirectionsClosedIsStillOpen() throws Exception {
    Link link = link();
    link.near().shutdownInput();
    link.near().shutdownOutput();
    assertThat(link.near().isOpen()).isTrue();
    assertThat(link.near().isConnected()).isTrue();
    assertThat(link.far().getInputStream().read()).isEqualTo(-1);
    link.near().close();
    assertThatThrownBy(() -> link.near().shutdownInput())
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> link.near().shutdownOutput())
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void muchThatWasWrittenArrivesBeforeTheEnd() throws Exception {
    Link link = link();
    byte[] bytes = pattern(3 << 20);
    Selector selector = selector();
    register(link.near(), selector, OP_READ);
    selector.selectNow();
    Task<byte[]> reading = Task.start(() -> link.far().getInputStream().readAllBytes());
    writeFully(link.near(), ByteBuffer.wrap(bytes));
    link.near().shutdownOutput();
    assertThat(reading.join()).isEqualTo(bytes);
  }
}
