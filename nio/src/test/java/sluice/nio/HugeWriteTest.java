package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Writes that are larger than what the kernel holds.
class HugeWriteTest extends Scenario {
  private static final int HUGE = 6 << 20;

  @ParameterizedTest
  @EnumSource
  void aBlockingWriteWaitsForTheReader(Task.Kind kind) throws Exception {
    Link link = link();
    byte[] bytes = pattern(HUGE);
    Task<Boolean> writing =
        kind.start(() -> {
          writeFully(link.near(), ByteBuffer.wrap(bytes));
          return true;
        });
    assertThat(receive(link.far(), HUGE)).isEqualTo(bytes);
    assertThat(writing.join()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"true, 6291456", "false, 6291456", "true, 70000", "false, 1000"})
  void aSelectedWriteGoesOnWhereItStopped(boolean direct, int piece) throws Exception {
    Selector selector = selector();
    Link link = link();
    byte[] bytes = pattern(HUGE);
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_WRITE);
    Task<byte[]> reading = Task.start(() -> receive(link.far(), HUGE));
    ByteBuffer all = (direct ? ByteBuffer.allocateDirect(HUGE) : ByteBuffer.allocate(HUGE));
    all.put(bytes).flip();
    while (all.hasRemaining()) {
      awaitReady(selector, key, SelectionKey.OP_WRITE);
      int count = 1;
      while (count > 0 && all.hasRemaining()) {
        int end = Math.min(all.position() + piece, HUGE);
        count = link.near().write(all.limit(end));
        all.limit(HUGE);
      }
    }
    // What was written goes out even without a further select.
    assertThat(reading.join()).isEqualTo(bytes);
  }

  @Test
  void aNonBlockingWriteIsBoundedWhenThePeerDoesNotRead() throws Exception {
    Selector selector = selector();
    Link link = link();
    register(link.near(), selector, SelectionKey.OP_READ);
    selector.selectNow();
    ByteBuffer megabyte = ByteBuffer.allocateDirect(1 << 20);
    long accepted = 0;
    int refused = 0;
    while (refused < 20 && accepted < 64L << 20) {
      int count = link.near().write(megabyte.clear());
      accepted += count;
      refused = count == 0 ? refused + 1 : 0;
      selector.selectNow();
    }
    assertThat(accepted).as("back-pressure").isBetween(1L, (64L << 20) - 1);
    assertThat(receive(link.far(), (int) accepted)).hasSize((int) accepted);
  }

  @Test
  void bothDirectionsAtOnce() throws Exception {
    Pair pair = pair();
    byte[] bytes = pattern(HUGE);
    Task<Boolean> one = writing(pair.near(), bytes);
    Task<Boolean> two = writing(pair.far(), bytes);
    Task<byte[]> back = Task.start(() -> readFully(pair.near(), HUGE));
    assertThat(readFully(pair.far(), HUGE)).isEqualTo(bytes);
    assertThat(back.join()).isEqualTo(bytes);
    assertThat(one.join() && two.join()).isTrue();
  }

  private static Task<Boolean> writing(java.nio.channels.SocketChannel channel, byte[] bytes) {
    return Task.start(() -> {
      writeFully(channel, ByteBuffer.wrap(bytes));
      return true;
    });
  }
}
