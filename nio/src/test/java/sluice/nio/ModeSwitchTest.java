package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// From selected to blocking and back, with bytes on their way.
class ModeSwitchTest extends Scenario {
  @ParameterizedTest
  @EnumSource
  void aBlockingReadFindsWhatCameWhileSelected(Task.Kind kind) throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    send(link.far(), "came while selected,");
    awaitReady(selector, key, OP_READ);
    assertThat(text(readFully(link.near(), 5))).isEqualTo("came ");
    key.cancel();
    selector.selectNow();
    link.near().configureBlocking(true);
    send(link.far(), " and later");
    Task<String> reading = kind.start(() -> text(readFully(link.near(), 25)));
    assertThat(reading.join()).isEqualTo("while selected, and later");
  }

  @Test
  void theEndThatCameWhileSelectedIsSeenByABlockingRead() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    send(link.far(), "end");
    link.far().close();
    awaitReady(selector, key, OP_READ);
    key.cancel();
    selector.selectNow();
    link.near().configureBlocking(true);
    assertThat(text(readFully(link.near(), 10))).isEqualTo("end");
    assertThat(link.near().read(ByteBuffer.allocate(1))).isEqualTo(-1);
  }

  @Test
  void writesStagedWhileSelectedPrecedeBlockingOnes() throws Exception {
    Selector selector = selector();
    Link link = link();
    link.near().setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
    for (int i = 0; i < 20; i++) {
      link.near().configureBlocking(false);
      SelectionKey key = link.near().register(selector, OP_READ);
      send(link.far(), "?");
      awaitReady(selector, key, OP_READ);
      readFully(link.near(), 1);
      writeFully(link.near(), text("first-"));
      key.cancel();
      selector.selectNow();
      link.near().configureBlocking(true);
      writeFully(link.near(), text("second"));
      assertThat(text(receive(link.far(), 12))).isEqualTo("first-second");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasAcceptedIsSentThoughABlockedWriterIsEnded(boolean close) throws Exception {
    Selector selector = selector();
    Link link = link();
    SocketChannel near = link.near();
    AtomicLong accepted = new AtomicLong(BlockedCall.fill(near, near));
    SelectionKey key = register(near, selector, OP_READ);
    selector.selectNow();
    accepted.addAndGet(near.write(ByteBuffer.allocate(1000)));
    key.cancel();
    selector.selectNow();
    near.configureBlocking(true);
    Task<?> writing =
        Task.start(() -> {
          while (true) {
            accepted.addAndGet(near.write(ByteBuffer.allocate(8)));
          }
        });
    writing.awaitBlocked("write");
    Task.start(() -> close ? closed(near) : near.shutdownOutput()).join();
    assertThat(writing.failure()).isInstanceOf(ClosedChannelException.class);
    assertThat(link.far().getInputStream().readAllBytes()).hasSize(accepted.intValue());
  }

  private static SocketChannel closed(SocketChannel channel) throws IOException {
    channel.close();
    return channel;
  }

  @Test
  void aWriteBetweenSelectsArrivesWithoutAnotherSelect() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    for (int i = 0; i < 20; i++) {
      send(link.far(), "?");
      awaitReady(selector, key, OP_READ);
      readFully(link.near(), 1);
      writeFully(link.near(), text("!"));
      assertThat(text(receive(link.far(), 1))).isEqualTo("!");
    }
  }

  @Test
  void atRandomNothingIsLostAndNothingOvertakes() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    Selector selector = selector();
    Link link = link();
    SocketChannel near = link.near();
    byte[] bytes = pattern(400_000);
    Task<Boolean> sending =
        Task.start(() -> {
          for (int at = 0; at < bytes.length; at += 4000) {
            link.far().getOutputStream().write(bytes, at, 4000);
          }
          return true;
        });
    Task<byte[]> receiving = Task.start(() -> receive(link.far(), bytes.length));
    ByteBuffer in = ByteBuffer.allocate(bytes.length);
    ByteBuffer out = ByteBuffer.wrap(bytes);
    SelectionKey key = null;
    Await await = new Await();
    while (in.hasRemaining() || out.hasRemaining()) {
      await.check("all bytes, seed " + seed);
      if (key == null) {
        near.configureBlocking(false);
        key = near.register(selector, random.nextInt(2) * OP_READ);
      } else if (random.nextInt(6) == 0) {
        key.cancel();
        selector.selectNow();
        key = null;
        near.configureBlocking(true);
        if (in.hasRemaining()) {
          near.read(in);
        }
      } else {
        key.interestOps(random.nextInt(3) == 0 ? 0 : OP_READ);
        selector.selectNow();
        selector.selectedKeys().clear();
      }
      if (!near.isBlocking() || in.hasRemaining()) {
        int size = Math.min(random.nextInt(3000), in.remaining());
        near.read(in.limit(in.position() + size));
        in.limit(bytes.length);
      }
      int size = Math.min(random.nextInt(6000), out.remaining());
      near.write(out.limit(out.position() + size));
      out.limit(bytes.length);
    }
    assertThat(sending.join()).isTrue();
    assertThat(in.array()).as("seed %s", seed).isEqualTo(bytes);
    assertThat(receiving.join()).as("seed %s", seed).isEqualTo(bytes);
  }
}
