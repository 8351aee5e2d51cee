package sluice.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Operations of interest: which are valid, how they change, and when a change counts.
class KeyInterestTest extends Scenario {
  @Test
  void eachKindOfChannelHasItsOperations() throws IOException {
    assertThat(socket().validOps()).isEqualTo(OP_CONNECT | OP_READ | OP_WRITE);
    assertThat(server().validOps()).isEqualTo(OP_ACCEPT);
    assertThat(datagram().validOps()).isEqualTo(OP_READ | OP_WRITE);
    assertThat(pipe().source().validOps()).isEqualTo(OP_READ);
    assertThat(pipe().sink().validOps()).isEqualTo(OP_WRITE);
  }

  @Test
  void othersAreRefusedAndChangeNothing() throws IOException {
    Selector selector = selector();
    SelectableChannel[] channels = {socket(), server(), datagram(), pipe().source(), pipe().sink()};
    for (SelectableChannel channel : channels) {
      int invalid = ~channel.validOps() & 0x1f;
      SelectionKey key = register(channel, selector, 0);
      for (int bit = 1; bit <= 16; bit <<= 1) {
        int op = bit & invalid;
        if (op != 0) {
          assertThatThrownBy(() -> key.interestOps(op))
              .isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> key.interestOpsOr(op))
              .isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> channel.register(selector, op))
              .isInstanceOf(IllegalArgumentException.class);
        }
      }
      assertThatThrownBy(() -> key.interestOps(-1)).isInstanceOf(IllegalArgumentException.class);
      assertThat(key.interestOps()).isZero();
    }
  }

  @Test
  void changesReturnWhatWasBefore() throws IOException {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, OP_READ);
    assertThat(key.interestOps()).isEqualTo(OP_READ);
    assertThat(key.interestOps(OP_WRITE)).isSameAs(key);
    assertThat(key.interestOpsOr(OP_READ)).isEqualTo(OP_WRITE);
    assertThat(key.interestOpsOr(0)).isEqualTo(OP_READ | OP_WRITE);
    assertThat(key.interestOpsAnd(~OP_WRITE)).isEqualTo(OP_READ | OP_WRITE);
    assertThat(key.interestOpsAnd(0)).isEqualTo(OP_READ);
    assertThat(key.interestOps()).isZero();
  }

  @Test
  void registeringAgainReplacesInterestAndAttachment() throws IOException {
    Selector selector = selector();
    var channel = link().near();
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, OP_READ, "one");
    assertThat(channel.register(selector, OP_WRITE, "two")).isSameAs(key);
    assertThat(key.interestOps()).isEqualTo(OP_WRITE);
    assertThat(key.attachment()).isEqualTo("two");
    assertThat(channel.register(selector, OP_WRITE)).isSameAs(key);
    assertThat(key.attachment()).isNull();
    assertThat(selector.select()).isEqualTo(1);
  }

  @Test
  void aChangeCountsFromTheNextSelect() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, 0);
    send(link.far(), "x");
    assertThat(selector.select(20)).isZero();
    key.interestOps(OP_READ);
    awaitReady(selector, key, OP_READ);
    key.interestOps(OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(OP_WRITE);
    selector.selectedKeys().clear();
    key.interestOps(0);
    assertThat(selector.select(20)).isZero();
  }

  @Test
  void aChangeByAnotherThreadCountsAfterAWakeup() throws Exception {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, OP_READ);
    Task<Boolean> selecting =
        Task.start(() -> {
          while (selector.select() == 0) {
            Thread.onSpinWait();
          }
          return key.isWritable();
        });
    selecting.awaitBlocked("select");
    key.interestOps(OP_READ | OP_WRITE);
    selector.wakeup();
    assertThat(selecting.join()).isTrue();
  }

  @Test
  void togglesThatEndWhereTheyBeganChangeNothing() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    assertThat(selector.selectNow()).isZero();
    for (int i = 0; i < 1000; i++) {
      key.interestOps(0);
      key.interestOps(OP_READ | OP_WRITE);
      key.interestOps(OP_READ);
    }
    assertThat(selector.select(10)).isZero();
    send(link.far(), "x");
    awaitReady(selector, key, OP_READ);
  }

  @Test
  void manyUpdatesAtRandomAreAllTrueAtTheSelect() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    Selector selector = selector();
    Pair[] pairs = new Pair[16];
    SelectionKey[] keys = new SelectionKey[pairs.length];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = pair();
      keys[i] = register(pairs[i].near(), selector, 0);
    }
    for (int round = 0; round < 100; round++) {
      for (int change = 0; change < 64; change++) {
        keys[random.nextInt(keys.length)].interestOps(random.nextInt(2) * OP_WRITE);
      }
      selector.selectedKeys().clear();
      selector.selectNow();
      for (SelectionKey key : keys) {
        assertThat(selector.selectedKeys().contains(key))
            .as("round %s, seed %s", round, seed)
            .isEqualTo(key.interestOps() == OP_WRITE);
      }
    }
  }

  @Test
  void attachmentsAreKeptAndExchanged() throws Exception {
    Selector selector = selector();
    SelectionKey key = register(link().near(), selector, OP_READ);
    assertThat(key.attachment()).isNull();
    assertThat(key.attach("a")).isNull();
    assertThat(key.attach("b")).isEqualTo("a");
    assertThat(Task.start(key::attachment).join()).isEqualTo("b");
    assertThat(Task.start(() -> key.attach("c")).join()).isEqualTo("b");
    assertThat(key.attachment()).isEqualTo("c");
  }
}
