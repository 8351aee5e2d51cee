package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

  @ParameterizedTest
  @EnumSource
  void shutdownOfInputEndsABlockedRead(Task.Kind kind) throws Exception {
    SocketChannel near = link().near();
    Task<Integer> reading = kind.start(() -> near.read(ByteBuffer.allocate(4)));
    reading.awaitBlocked("read");
    near.shutdownInput();
    assertThat(reading.join()).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void shutdownOfOutputEndsABlockedWrite(Task.Kind kind) throws Exception {
    SocketChannel near = link().near();
    Task<Integer> writing =
        kind.start(() -> {
          while (true) {
            near.write(ByteBuffer.allocateDirect(1 << 20));
          }
        });
    writing.awaitBlocked("write");
    near.shutdownOutput();
    assertThat(writing.failure()).isInstanceOf(java.io.IOException.class);
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
