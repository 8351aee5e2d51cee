package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Pipes within the process.
class PipeTest extends Scenario {
  @Test
  void whatGoesInComesOut() throws Exception {
    Pipe pipe = pipe();
    assertThat(pipe.source()).isSameAs(pipe.source());
    assertThat(pipe.sink()).isSameAs(pipe.sink());
    assertThat(pipe.source().isBlocking()).isTrue();
    assertThat(pipe.sink().write(text("abc"))).isEqualTo(3);
    assertThat(pipe.sink().write(new ByteBuffer[] {text("de"), text("f")})).isEqualTo(3);
    ByteBuffer[] in = {ByteBuffer.allocate(2), ByteBuffer.allocateDirect(10)};
    assertThat(pipe.source().read(in)).isEqualTo(6);
    assertThat(in[1].flip()).isEqualTo(text("cdef"));
    assertThat(pipe.toString() + pipe.source() + pipe.sink()).isNotEmpty();
  }

  @Test
  void partsOfTheBuffersMayBeNamed() throws Exception {
    Pipe pipe = pipe();
    ByteBuffer[] out = {text("no"), text("yes"), text("no")};
    assertThat(pipe.sink().write(out, 1, 1)).isEqualTo(3);
    ByteBuffer[] in = {ByteBuffer.allocate(2), ByteBuffer.allocate(9)};
    assertThat(pipe.source().read(in, 1, 1)).isEqualTo(3);
    assertThat(in[1].flip()).isEqualTo(text("yes"));
    assertThatThrownBy(() -> pipe.sink().write(out, 2, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedReadGetsWhatComes(Task.Kind kind) throws Exception {
    Pipe pipe = pipe();
    ByteBuffer buffer = ByteBuffer.allocate(10);
    Task<Integer> reading = kind.start(() -> pipe.source().read(buffer));
    reading.awaitBlocked("read");
    pipe.sink().write(text("late"));
    assertThat(reading.join()).isEqualTo(4);
  }

  @Test
  void theEndComesWhenTheSinkIsClosed() throws Exception {
    Pipe pipe = pipe();
    pipe.sink().write(text("last"));
    pipe.sink().close();
    assertThat(text(readFully(pipe.source(), 10))).isEqualTo("last");
    assertThat(pipe.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertThatThrownBy(() -> pipe.sink().write(text("x")))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void writingWithoutAReaderFails() throws Exception {
    Pipe pipe = pipe();
    pipe.source().close();
    assertThatThrownBy(() -> pipe.sink().write(text("x"))).isInstanceOf(IOException.class);
    assertThat(pipe.sink().isOpen()).isTrue();
  }

  @Test
  void fullAndEmptyWithoutBlocking() throws Exception {
    Pipe pipe = pipe();
    pipe.source().configureBlocking(false);
    pipe.sink().configureBlocking(false);
    assertThat(pipe.source().read(ByteBuffer.allocate(1))).isZero();
    ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
    int written = pipe.sink().write(bytes);
    assertThat(written).isBetween(1, (1 << 20) - 1);
    assertThat(pipe.sink().write(ByteBuffer.allocate(1 << 16))).isZero();
    assertThat(readFully(pipe.source(), written)).hasSize(written);
    assertThat(pipe.sink().write(text("x"))).isEqualTo(1);
  }

  @Test
  void bothEndsCanBeSelected() throws Exception {
    Selector selector = selector();
    Pipe pipe = pipe();
    SelectionKey reading = register(pipe.source(), selector, OP_READ);
    SelectionKey writing = register(pipe.sink(), selector, OP_WRITE);
    awaitReady(selector, writing, OP_WRITE);
    assertThat(isReady(selector, reading, 0)).isFalse();
    writing.interestOps(0);
    pipe.sink().write(text("ab"));
    awaitReady(selector, reading, OP_READ);
    readFully(pipe.source(), 1);
    awaitReady(selector, reading, OP_READ);
    readFully(pipe.source(), 1);
    assertThat(isReady(selector, reading, 10)).isFalse();
    pipe.sink().close();
    awaitReady(selector, reading, OP_READ);
    assertThat(pipe.source().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    pipe.source().close();
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void aSinkWithoutReaderIsSelected() throws Exception {
    Selector selector = selector();
    Pipe pipe = pipe();
    SelectionKey key = register(pipe.sink(), selector, OP_WRITE);
    while (pipe.sink().write(ByteBuffer.allocate(4096)) > 0) {
      Thread.onSpinWait();
    }
    assertThat(isReady(selector, key, 10)).isFalse();
    pipe.source().close();
    awaitReady(selector, key, OP_WRITE);
    assertThatThrownBy(() -> pipe.sink().write(text("x"))).isInstanceOf(IOException.class);
  }

  @Test
  void manyBytesKeepTheirOrder() throws Exception {
    Pipe pipe = pipe();
    byte[] bytes = pattern(2 << 20);
    Task<Boolean> writing =
        Task.start(() -> {
          writeFully(pipe.sink(), ByteBuffer.wrap(bytes));
          pipe.sink().close();
          return true;
        });
    assertThat(readFully(pipe.source(), bytes.length + 1)).isEqualTo(bytes);
    assertThat(writing.join()).isTrue();
  }
}
