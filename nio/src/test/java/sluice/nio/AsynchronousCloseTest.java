package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Another thread closes the channel, or interrupts the thread, while a call blocks.
class AsynchronousCloseTest extends Scenario {
  static Stream<Arguments> calls() {
    return Stream.of(BlockedCall.values())
        .flatMap(call ->
            Stream.of(Task.Kind.values())
                .filter(call::canBeEnded)
                .map(kind -> Arguments.of(call, kind)));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void closingEndsTheCall(BlockedCall call, Task.Kind kind) throws Exception {
    BlockedCall.Ready ready = call.prepare(this);
    Task<?> blocked = kind.start(ready.call());
    blocked.awaitBlocked(call.method);
    ready.channel().close();
    assertThat(blocked.failure())
        .isInstanceOf(
            call.mayEndWithBytes()
                ? ClosedChannelException.class
                : AsynchronousCloseException.class)
        .isNotInstanceOf(ClosedByInterruptException.class);
    assertThat(ready.channel().isOpen()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void anInterruptEndsTheCallClosesTheChannelAndStaysSet(BlockedCall call, Task.Kind kind)
      throws Exception {
    BlockedCall.Ready ready = call.prepare(this);
    Task<Boolean> blocked = kind.start(() -> interrupted(ready));
    blocked.awaitBlocked(call.method);
    blocked.thread().interrupt();
    assertThat(blocked.join()).isTrue();
    assertThat(ready.channel().isOpen()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void anInterruptThatCameBeforeDoesTheSame(BlockedCall call, Task.Kind kind) throws Exception {
    BlockedCall.Ready ready = call.prepare(this);
    Task<Boolean> blocked =
        kind.start(() -> {
          Thread.currentThread().interrupt();
          return interrupted(ready);
        });
    assertThat(blocked.join()).isTrue();
    assertThat(ready.channel().isOpen()).isFalse();
  }

  @Test
  void readerAndWriterOfOneChannelBothEnd() throws Exception {
    BlockedCall.Ready writing = BlockedCall.WRITE.prepare(this);
    var channel = (java.nio.channels.SocketChannel) writing.channel();
    Task<?> writer = Task.start(writing.call());
    Task<Integer> reader = Task.start(() -> channel.read(java.nio.ByteBuffer.allocate(1)));
    Task<Integer> second = Task.start(() -> channel.read(java.nio.ByteBuffer.allocate(1)));
    writer.awaitBlocked("write");
    reader.awaitBlocked("read");
    second.awaitBlocked("read");
    channel.close();
    assertThat(writer.failure()).isInstanceOf(ClosedChannelException.class);
    assertThat(reader.failure()).isInstanceOf(ClosedChannelException.class);
    assertThat(second.failure()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void interruptingTheReaderAlsoEndsTheWriter() throws Exception {
    BlockedCall.Ready writing = BlockedCall.WRITE.prepare(this);
    var channel = (java.nio.channels.SocketChannel) writing.channel();
    Task<?> writer = Task.start(writing.call());
    Task<Integer> reader = Task.start(() -> channel.read(java.nio.ByteBuffer.allocate(1)));
    writer.awaitBlocked("write");
    reader.awaitBlocked("read");
    reader.thread().interrupt();
    assertThat(reader.failure()).isInstanceOf(ClosedByInterruptException.class);
    assertThat(writer.failure())
        .isInstanceOf(ClosedChannelException.class)
        .isNotInstanceOf(ClosedByInterruptException.class);
  }

  private static boolean interrupted(BlockedCall.Ready ready) throws Exception {
    Channel channel = ready.channel();
    try {
      ready.call().call();
      return false;
    } catch (ClosedByInterruptException e) {
      return Thread.currentThread().isInterrupted() && !channel.isOpen();
    }
  }
}
