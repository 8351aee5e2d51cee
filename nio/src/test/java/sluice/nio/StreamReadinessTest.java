package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;

/// Readiness of a stream is a level: reported as long as it lasts, and not a moment longer.
class StreamReadinessTest extends Scenario {
  @Test
  void readableUntilEverythingIsRead() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    assertThat(isReady(selector, key, 0)).isFalse();
    send(link.far(), "abcdef");
    for (int i = 0; i < 6; i++) {
      awaitReady(selector, key, OP_READ);
      assertThat(readFully(link.near(), 1)).hasSize(1);
    }
    assertThat(isReady(selector, key, 20)).isFalse();
    assertThat(link.near().read(ByteBuffer.allocate(8))).isZero();
  }

  @Test
  void readableWhenTheBytesCameBeforeRegistering() throws Exception {
    Link link = link();
    send(link.far(), "early");
    link.near().configureBlocking(false);
    byte[] first = readFully(link.near(), 1);
    Selector selector = selector();
    SelectionKey key = register(link.near(), selector, OP_READ);
    awaitReady(selector, key, OP_READ);
    assertThat(text(first) + text(readFully(link.near(), 4))).isEqualTo("early");
  }

  @Test
  void readableWhenTheBytesCameWithoutInterest() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    key.interestOps(0);
    send(link.far(), "while off");
    assertThat(isReady(selector, key, 20)).isFalse();
    key.interestOps(OP_READ);
    awaitReady(selector, key, OP_READ);
    assertThat(text(readFully(link.near(), 9))).isEqualTo("while off");
  }

  @Test
  void readableAtTheEndOfTheStreamAgainAndAgain() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    link.far().shutdownOutput();
    for (int i = 0; i < 3; i++) {
      awaitReady(selector, key, OP_READ);
      assertThat(link.near().read(ByteBuffer.allocate(8))).isEqualTo(-1);
    }
  }

  @Test
  void readableAfterAReset() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    link.far().setSoLinger(true, 0);
    link.far().close();
    awaitReady(selector, key, OP_READ);
    assertThatThrownBy(() -> link.near().read(ByteBuffer.allocate(8)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void bytesBeforeTheEndComeFirst() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    send(link.far(), "last words");
    link.far().close();
    StringBuilder received = new StringBuilder();
    ByteBuffer buffer = ByteBuffer.allocate(3);
    while (true) {
      awaitReady(selector, key, OP_READ);
      if (link.near().read(buffer.clear()) < 0) {
        break;
      }
      received.append(text(java.util.Arrays.copyOf(buffer.array(), buffer.position())));
    }
    assertThat(received).hasToString("last words");
  }

  @Test
  void aFreshConnectionIsWritable() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_WRITE);
    for (int i = 0; i < 3; i++) {
      assertThat(selector.select()).isEqualTo(1);
      selector.selectedKeys().clear();
    }
    assertThat(key.isWritable()).isTrue();
  }

  @Test
  void notWritableWhenFullAndWritableWhenThePeerHasRead() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_WRITE);
    ByteBuffer bytes = ByteBuffer.allocateDirect(64 << 10);
    long written = 0;
    // Full is full for a while: the kernel moves what it holds to the peer's side first.
    for (int quiet = 0; quiet < 10; quiet++) {
      boolean ready = isReady(selector, key, 0);
      int count = link.near().write(bytes.clear());
      written += count;
      if (count > 0 || ready) {
        quiet = 0;
      } else {
        Thread.sleep(10);
      }
    }
    assertThat(written).isPositive();
    long total = written;
    Task<Long> reading = Task.start(() -> (long) receive(link.far(), (int) total).length);
    awaitReady(selector, key, OP_WRITE);
    assertThat(link.near().write(bytes.clear())).isPositive();
    assertThat(reading.join()).isEqualTo(total);
  }

  @Test
  void noInterestCostsNoTurns() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, 0);
    send(link.far(), "x");
    long start = System.nanoTime();
    assertThat(selector.select(60)).isZero();
    assertThat(System.nanoTime() - start).isGreaterThan(50_000_000L);
    // A peer that is gone wakes no selector without an interest.
    link.far().close();
    start = System.nanoTime();
    assertThat(selector.select(60)).isZero();
    assertThat(System.nanoTime() - start).isGreaterThan(50_000_000L);
    assertThat(key.interestOps()).isZero();
  }

  @Test
  void readAndWriteNeedNoSelect() throws Exception {
    Selector selector = selector();
    Pair pair = pair();
    register(pair.near(), selector, OP_READ);
    register(pair.far(), selector, OP_READ);
    for (int i = 0; i < 20; i++) {
      writeFully(pair.near(), text("ping" + (char) ('a' + i)));
      assertThat(text(readFully(pair.far(), 5))).isEqualTo("ping" + (char) ('a' + i));
      if (i % 5 == 0) {
        selector.selectNow();
      }
    }
  }
}
