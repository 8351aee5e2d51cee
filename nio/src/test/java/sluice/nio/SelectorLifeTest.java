package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/// Opening and closing of a selector, and what a closed one refuses.
class SelectorLifeTest extends Scenario {
  @Test
  void aNewSelectorIsOpenAndEmpty() throws IOException {
    Selector selector = selector();
    assertThat(selector.isOpen()).isTrue();
    assertThat(selector.provider()).isSameAs(identity());
    assertThat(selector.keys()).isEmpty();
    assertThat(selector.selectedKeys()).isEmpty();
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.toString()).isNotEmpty();
  }

  @Test
  void theSetsAreAlwaysTheSameObjects() throws IOException {
    Selector selector = selector();
    var keys = selector.keys();
    var selected = selector.selectedKeys();
    register(socket(), selector, 0);
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.keys()).isSameAs(keys).hasSize(1);
    assertThat(selector.selectedKeys()).isSameAs(selected);
  }

  @Test
  void closingTwiceIsHarmless() throws IOException {
    Selector selector = selector();
    selector.close();
    selector.close();
    assertThat(selector.isOpen()).isFalse();
  }

  @Test
  void aClosedSelectorRefusesEverythingButWakeup() throws IOException {
    Selector selector = selector();
    selector.close();
    assertThatThrownBy(selector::keys).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(selector::selectedKeys).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(selector::select).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(() -> selector.select(10)).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(selector::selectNow).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(() -> selector.select(_ -> {})).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(() -> selector.selectNow(_ -> {}))
        .isInstanceOf(ClosedSelectorException.class);
    assertThat(selector.wakeup()).isSameAs(selector);
  }

  @Test
  void closingCancelsKeysAndLeavesChannelsOpen() throws IOException {
    Selector selector = selector();
    Pair pair = pair();
    SelectionKey key = register(pair.near(), selector, SelectionKey.OP_READ);
    selector.close();
    assertThat(key.isValid()).isFalse();
    assertThat(pair.near().isOpen()).isTrue();
    assertThat(pair.near().isRegistered()).isFalse();
    assertThat(pair.near().keyFor(selector)).isNull();
    pair.near().configureBlocking(true);
    writeFully(pair.far(), text("after"));
    assertThat(text(readFully(pair.near(), 5))).isEqualTo("after");
  }

  @Test
  void aClosedSelectorTakesNoChannel() throws IOException {
    Selector selector = selector();
    selector.close();
    SocketChannel channel = socket();
    channel.configureBlocking(false);
    assertThatThrownBy(() -> channel.register(selector, SelectionKey.OP_READ))
        .isInstanceOf(ClosedSelectorException.class);
    assertThat(channel.isRegistered()).isFalse();
  }
}
