package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;

/// One selector and several threads, one channel and several selectors.
class SharedSelectorTest extends Scenario {
  @ParameterizedTest
  @EnumSource
  void threadsMaySelectInTurn(Task.Kind kind) throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    for (int i = 0; i < 12; i++) {
      send(link.far(), "turn " + (char) ('a' + i));
      String expected = "turn " + (char) ('a' + i);
      if (i % 3 == 0) {
        awaitReady(selector, key, OP_READ);
        assertThat(text(readFully(link.near(), 6))).isEqualTo(expected);
        writeFully(link.near(), text("main"));
      } else {
        assertThat(
                kind.start(
                        () -> {
                          awaitReady(selector, key, OP_READ);
                          String received = text(readFully(link.near(), 6));
                          writeFully(link.near(), text("task"));
                          return received;
                        })
                    .join())
            .isEqualTo(expected);
      }
      assertThat(text(receive(link.far(), 4))).isEqualTo(i % 3 == 0 ? "main" : "task");
    }
  }

  @Test
  void bytesHeldForOneThreadAreReadByAnother() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    byte[] bytes = pattern(150_000);
    Task<Boolean> sending =
        Task.start(() -> {
          send(link.far(), bytes);
          return true;
        });
    byte[] received = new byte[0];
    int turn = 0;
    while (received.length < bytes.length) {
      byte[] soFar = received;
      boolean other = turn++ % 2 == 0;
      int want = Math.min(7_000, bytes.length - soFar.length);
      Task<byte[]> piece =
          (other ? Task.Kind.PLATFORM : Task.Kind.VIRTUAL)
              .start(() -> {
                awaitReady(selector, key, OP_READ);
                return readFully(link.near(), want);
              });
      byte[] next = piece.join();
      received = java.util.Arrays.copyOf(soFar, soFar.length + next.length);
      System.arraycopy(next, 0, received, soFar.length, next.length);
    }
    assertThat(sending.join()).isTrue();
    assertThat(received).isEqualTo(bytes);
  }

  @Test
  void aSecondSelectWaitsForTheFirst() throws Exception {
    Selector selector = selector();
    Task<Integer> first = Task.start(selector::select);
    first.awaitBlocked("select");
    Task<Integer> second = Task.start(selector::select);
    second.awaitBlocked("select");
    Await.until(
        "the end of both selects",
        () -> {
          selector.wakeup();
          return first.isDone() && second.isDone();
        });
    assertThat(first.join() + second.join()).isZero();
  }

  @Test
  void aChannelWithTwoSelectorsIsReadyInBoth() throws Exception {
    Selector one = selector();
    Selector two = selector();
    Link link = link();
    SelectionKey reading = register(link.near(), one, OP_READ);
    SelectionKey writing = register(link.near(), two, OP_WRITE | OP_READ);
    assertThat(isReady(one, reading, 0)).isFalse();
    assertThat(two.select()).isEqualTo(1);
    assertThat(writing.readyOps()).isEqualTo(OP_WRITE);
    two.selectedKeys().clear();
    send(link.far(), "both");
    awaitReady(one, reading, OP_READ);
    awaitReady(two, writing, OP_READ);
    assertThat(text(readFully(link.near(), 4))).isEqualTo("both");
    assertThat(isReady(one, reading, 10)).isFalse();
    two.selectNow();
    reading.cancel();
    one.selectNow();
    send(link.far(), "one");
    awaitReady(two, writing, OP_READ);
    assertThat(text(readFully(link.near(), 3))).isEqualTo("one");
  }

  @Test
  void aChannelMovesFromSelectorToSelectorWithoutLosingBytes() throws Exception {
    Link link = link();
    byte[] bytes = pattern(200_000);
    Task<Boolean> sending =
        Task.start(() -> {
          send(link.far(), bytes);
          link.far().shutdownOutput();
          return true;
        });
    java.io.ByteArrayOutputStream received = new java.io.ByteArrayOutputStream();
    boolean ended = false;
    while (!ended) {
      Selector selector = nio().openSelector();
      SelectionKey key = register(link.near(), selector, OP_READ);
      awaitReady(selector, key, OP_READ);
      java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocate(9000);
      ended = link.near().read(buffer) < 0;
      received.write(buffer.array(), 0, buffer.position());
      if (received.size() % 2 == 0) {
        key.cancel();
        selector.selectNow();
      }
      selector.close();
    }
    assertThat(sending.join()).isTrue();
    assertThat(received.toByteArray()).isEqualTo(bytes);
  }

  /// What the first selector has armed may keep the socket open for as long as it does not select.
  @Test
  void aClosedChannelOfAnotherSelectorEndsNoWait() throws Exception {
    Selector holding = selector();
    Selector watching = selector();
    Link link = link();
    SelectionKey first = register(link.near(), holding, OP_READ);
    holding.selectNow();
    Task<Boolean> other =
        Task.start(() -> {
          first.cancel();
          link.near().register(watching, OP_READ);
          watching.selectNow();
          link.near().close();
          return true;
        });
    assertThat(other.join()).isTrue();
    Task<Integer> selecting = Task.start(() -> watching.select());
    selecting.awaitBlocked("select");
    watching.wakeup();
    assertThat(selecting.join()).isZero();
    holding.selectNow();
    assertThat(receive(link.far(), 1)).isEmpty();
  }

  @Test
  void manySelectorsWorkSideBySide() throws Exception {
    List<Selector> selectors = new ArrayList<>();
    List<SelectionKey> keys = new ArrayList<>();
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Selector selector = selector();
      Link link = link();
      selectors.add(selector);
      links.add(link);
      keys.add(register(link.near(), selector, OP_READ));
    }
    for (int i = 0; i < selectors.size(); i++) {
      send(links.get(i).far(), "s" + (char) ('A' + i));
    }
    for (int i = 0; i < selectors.size(); i++) {
      awaitReady(selectors.get(i), keys.get(i), OP_READ);
      assertThat(text(readFully(links.get(i).near(), 2))).isEqualTo("s" + (char) ('A' + i));
      selectors.get(i).wakeup();
      assertThat(selectors.get(i).select()).isZero();
    }
  }

  @Test
  void threadsThatRegisterCancelAndCloseDoNotDisturbTheSelect() throws Exception {
    Selector selector = selector();
    Link steady = link();
    SelectionKey key = register(steady.near(), selector, OP_READ);
    List<Task<Boolean>> others = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      others.add(
          Task.start(() -> {
            for (int i = 0; i < 60; i++) {
              Pair pair = pair();
              SelectionKey mine = register(pair.near(), selector, OP_READ | OP_WRITE);
              register(pair.far(), selector, 0);
              if (i % 3 == 0) {
                selector.wakeup();
              }
              if (i % 2 == 0) {
                mine.cancel();
              }
              close(pair.near());
              close(pair.far());
            }
            return true;
          }));
    }
    for (int i = 0; i < 200; i++) {
      send(steady.far(), "" + (char) ('0' + i % 10));
      awaitReady(selector, key, OP_READ);
      assertThat(text(readFully(steady.near(), 1))).isEqualTo("" + (char) ('0' + i % 10));
    }
    // The select goes on while the others work, as in a server.
    Await.until(
        "the end of all other threads",
        () -> {
          selector.select(5);
          selector.selectedKeys().clear();
          return others.stream().allMatch(Task::isDone);
        });
    for (Task<Boolean> other : others) {
      assertThat(other.join()).isTrue();
    }
    selector.selectNow();
    assertThat(selector.keys()).containsExactly(key);
  }

  private static void close(SocketChannel channel) throws Exception {
    channel.close();
  }
}
