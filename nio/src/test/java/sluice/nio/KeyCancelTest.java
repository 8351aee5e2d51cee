package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import sluice.testbase.Await;

/// A cancelled key: dead at once, gone with the next select, and its channel free again.
class KeyCancelTest extends Scenario {
  @Test
  void aCancelledKeyRefusesOperationsButTellsWhereItBelongs() throws IOException {
    Selector selector = selector();
    SocketChannel channel = link().near();
    SelectionKey key = register(channel, selector, SelectionKey.OP_READ);
    key.attach("mine");
    key.cancel();
    key.cancel();
    assertThat(key.isValid()).isFalse();
    assertThatThrownBy(key::interestOps).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(() -> key.interestOps(0)).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(() -> key.interestOpsOr(1)).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(() -> key.interestOpsAnd(1)).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(key::readyOps).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(key::isReadable).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(key::isWritable).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(key::isConnectable).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(key::isAcceptable).isInstanceOf(CancelledKeyException.class);
    assertThat(key.channel()).isSameAs(channel);
    assertThat(key.selector()).isSameAs(selector);
    assertThat(key.attachment()).isEqualTo("mine");
    assertThat(key.toString()).isNotEmpty();
  }

  @Test
  void itIsRegisteredUntilTheNextSelect() throws IOException {
    Selector selector = selector();
    SocketChannel channel = link().near();
    SelectionKey key = register(channel, selector, SelectionKey.OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    key.cancel();
    assertThat(selector.keys()).contains(key);
    assertThat(channel.isRegistered()).isTrue();
    assertThatThrownBy(() -> channel.register(selector, SelectionKey.OP_READ))
        .isInstanceOf(CancelledKeyException.class);
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.keys()).isEmpty();
    assertThat(selector.selectedKeys()).isEmpty();
    assertThat(channel.isRegistered()).isFalse();
    assertThat(channel.keyFor(selector)).isNull();
  }

  @Test
  void theChannelMayRegisterAnewAndIsReported() throws IOException {
    Selector selector = selector();
    SocketChannel channel = link().near();
    SelectionKey last = register(channel, selector, SelectionKey.OP_WRITE);
    for (int i = 0; i < 50; i++) {
      assertThat(selector.select()).isEqualTo(1);
      last.cancel();
      assertThat(selector.selectNow()).isZero();
      SelectionKey next = channel.register(selector, SelectionKey.OP_WRITE);
      assertThat(next).isNotSameAs(last);
      last = next;
    }
  }

  @Test
  void cancellingFromAnotherThreadDoesNotWaitForTheSelect() throws Exception {
    Selector selector = selector();
    SocketChannel channel = link().near();
    SelectionKey key = register(channel, selector, SelectionKey.OP_READ);
    Task<Integer> selecting = Task.start(selector::select);
    selecting.awaitBlocked("select");
    key.cancel();
    assertThat(key.isValid()).isFalse();
    selector.wakeup();
    assertThat(selecting.join()).isZero();
    Await.until(
        "a selector without keys", () -> selector.selectNow() == 0 && selector.keys().isEmpty());
  }

  @Test
  void aKeyOfOneSelectorDiesAlone() throws IOException {
    Selector one = selector();
    Selector two = selector();
    SocketChannel channel = link().near();
    SelectionKey first = register(channel, one, SelectionKey.OP_WRITE);
    SelectionKey second = register(channel, two, SelectionKey.OP_WRITE);
    first.cancel();
    assertThat(one.selectNow()).isZero();
    assertThat(second.isValid()).isTrue();
    assertThat(two.select()).isEqualTo(1);
    assertThat(channel.isRegistered()).isTrue();
  }

  @Test
  void aReadyButCancelledKeyIsNotSelected() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_READ);
    send(link.far(), "x");
    awaitReady(selector, key, SelectionKey.OP_READ);
    key.cancel();
    assertThat(selector.select(20)).isZero();
    assertThat(selector.selectedKeys()).isEmpty();
  }

  @Test
  void hundredsOfKeysGoAtOnce() throws IOException {
    Selector selector = selector();
    for (int i = 0; i < 300; i++) {
      register(datagram(), selector, SelectionKey.OP_WRITE);
    }
    assertThat(selector.select()).isPositive();
    selector.keys().forEach(SelectionKey::cancel);
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.keys()).isEmpty();
    assertThat(selector.selectedKeys()).isEmpty();
  }
}
