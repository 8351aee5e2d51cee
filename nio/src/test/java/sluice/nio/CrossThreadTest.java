package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Channels used by threads other than the selecting thread.
class CrossThreadTest extends Scenario {
  @Test
  void anotherThreadWritesWhileTheSelectWaits() throws Exception {
    Selector selector = selector();
    Link link = link();
    register(link.near(), selector, OP_READ);
    Task<Integer> selecting = Task.start(selector::select);
    selecting.awaitBlocked("select");
    for (int i = 0; i < 50; i++) {
      writeFully(link.near(), text("from outside"));
      assertThat(text(receive(link.far(), 12))).isEqualTo("from outside");
    }
    selector.wakeup();
    assertThat(selecting.join()).isZero();
  }

  @Test
  void writesByTheSelectingThreadAndOthersKeepTheirOrder() throws Exception {
    Selector selector = selector();
    Link link = link();
    link.near().setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
    SelectionKey key = register(link.near(), selector, OP_READ);
    for (int i = 0; i < 50; i++) {
      send(link.far(), "?");
      awaitReady(selector, key, OP_READ);
      readFully(link.near(), 1);
      writeFully(link.near(), text("mine"));
      Task.start(
              () -> {
                writeFully(link.near(), text("yours"));
                return true;
              })
          .join();
      writeFully(link.near(), text("mine again"));
      assertThat(text(receive(link.far(), 19))).isEqualTo("mineyoursmine again");
    }
  }

  @Test
  void anotherThreadReadsWhatASelectorWatches() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    for (int i = 0; i < 20; i++) {
      send(link.far(), "for another");
      awaitReady(selector, key, OP_READ);
      assertThat(Task.start(() -> text(readFully(link.near(), 11))).join())
          .isEqualTo("for another");
      assertThat(isReady(selector, key, 0)).isFalse();
    }
  }

  @Test
  void messagesOfManyWritersAreNotMixed() throws Exception {
    Pair pair = pair();
    List<Task<Boolean>> writers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      byte letter = (byte) ('a' + t);
      writers.add(
          Task.start(() -> {
            byte[] message = new byte[100];
            java.util.Arrays.fill(message, letter);
            for (int i = 0; i < 100; i++) {
              assertThat(pair.near().write(ByteBuffer.wrap(message))).isEqualTo(100);
            }
            return true;
          }));
    }
    for (int i = 0; i < 400; i++) {
      byte[] message = readFully(pair.far(), 100);
      for (byte letter : message) {
        assertThat(letter).isEqualTo(message[0]);
      }
    }
    for (Task<Boolean> writer : writers) {
      writer.join();
    }
  }

  @Test
  void closingWhileOthersReadAndWriteIsAlwaysClean() throws Exception {
    Selector selector = selector();
    AtomicBoolean stop = new AtomicBoolean();
    Task<Boolean> selecting =
        Task.start(() -> {
          while (!stop.get()) {
            selector.select(5);
            selector.selectedKeys().clear();
          }
          return true;
        });
    for (int i = 0; i < 40; i++) {
      Pair pair = pair();
      register(pair.near(), selector, OP_READ);
      pair.far().configureBlocking(false);
      Task<?> reading =
          Task.start(() -> {
            while (true) {
              pair.near().read(ByteBuffer.allocate(100));
            }
          });
      Task<?> writing =
          Task.start(() -> {
            while (true) {
              pair.near().write(text("x"));
              pair.far().read(ByteBuffer.allocateDirect(1000));
            }
          });
      for (int spin = 0; spin < i * 500; spin++) {
        Thread.onSpinWait();
      }
      pair.near().close();
      assertThat(reading.failure()).isInstanceOf(ClosedChannelException.class);
      assertThat(writing.failure()).isInstanceOf(ClosedChannelException.class);
      pair.far().close();
    }
    stop.set(true);
    selector.wakeup();
    assertThat(selecting.join()).isTrue();
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void aDescriptorThatIsUsedAgainBringsNoOldEvents() throws Exception {
    Selector selector = selector();
    for (int i = 0; i < 200; i++) {
      Link old = link();
      SelectionKey stale = register(old.near(), selector, OP_READ);
      send(old.far(), "stale");
      if (i % 2 == 0) {
        awaitReady(selector, stale, OP_READ);
      }
      old.near().close();
      old.far().close();
      Link fresh = link();
      SelectionKey key = register(fresh.near(), selector, OP_READ);
      assertThat(isReady(selector, key, 0)).as("round %s", i).isFalse();
      assertThat(fresh.near().read(ByteBuffer.allocate(8))).isZero();
      send(fresh.far(), "f");
      awaitReady(selector, key, OP_READ);
      assertThat(text(readFully(fresh.near(), 1))).isEqualTo("f");
      fresh.near().close();
      fresh.far().close();
    }
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void theThreadThatWroteMayEndAtOnce() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    send(link.far(), "?");
    Task<Boolean> ephemeral =
        Task.start(() -> {
          awaitReady(selector, key, OP_READ);
          readFully(link.near(), 1);
          writeFully(link.near(), text("last will"));
          return true;
        });
    assertThat(ephemeral.join()).isTrue();
    ephemeral.thread().join();
    assertThat(text(receive(link.far(), 9))).isEqualTo("last will");
  }

  @Test
  void interruptedWhileNonBlockingClosesTheChannel() throws Exception {
    Link link = link();
    link.near().configureBlocking(false);
    Task<Boolean> task =
        Task.start(() -> {
          Thread.currentThread().interrupt();
          try {
            return link.near().read(ByteBuffer.allocate(1)) == 0;
          } catch (IOException e) {
            return e instanceof ClosedChannelException;
          }
        });
    assertThat(task.join()).isTrue();
  }
}
