package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What a channel must be to register, and what registering holds it to.
class RegisterTest extends Scenario {
  @Test
  void aBlockingChannelMayNotRegister() throws IOException {
    Selector selector = selector();
    SocketChannel channel = socket();
    assertThat(channel.isBlocking()).isTrue();
    assertThatThrownBy(() -> channel.register(selector, OP_READ))
        .isInstanceOf(IllegalBlockingModeException.class);
    assertThat(channel.isRegistered()).isFalse();
  }

  @Test
  void aClosedChannelMayNotRegister() throws IOException {
    Selector selector = selector();
    SocketChannel channel = socket();
    channel.configureBlocking(false);
    channel.close();
    assertThatThrownBy(() -> channel.register(selector, OP_READ))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.configureBlocking(true))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aRegisteredChannelStaysNonBlocking() throws IOException {
    Selector selector = selector();
    SocketChannel channel = link().near();
    SelectionKey key = register(channel, selector, OP_READ);
    assertThat(channel.configureBlocking(false)).isSameAs(channel);
    assertThatThrownBy(() -> channel.configureBlocking(true))
        .isInstanceOf(IllegalBlockingModeException.class);
    assertThat(channel.isBlocking()).isFalse();
    key.cancel();
    selector.selectNow();
    channel.configureBlocking(true);
    assertThat(channel.isBlocking()).isTrue();
  }

  @Test
  void theKeyIsFoundAgain() throws IOException {
    Selector one = selector();
    Selector two = selector();
    SocketChannel channel = socket();
    assertThat(channel.isRegistered()).isFalse();
    assertThat(channel.keyFor(one)).isNull();
    SelectionKey key = register(channel, one, 0);
    assertThat(channel.isRegistered()).isTrue();
    assertThat(channel.keyFor(one)).isSameAs(key);
    assertThat(channel.keyFor(two)).isNull();
    SelectionKey other = register(channel, two, 0);
    assertThat(other).isNotSameAs(key);
    assertThat(channel.keyFor(two)).isSameAs(other);
    assertThat(key.readyOps()).isZero();
    assertThat(key.isValid()).isTrue();
  }

  @Test
  void theBlockingLockIsOneObject() throws IOException {
    SocketChannel channel = socket();
    assertThat(channel.blockingLock()).isNotNull().isSameAs(channel.blockingLock());
  }

  @Test
  void registeringDoesNotWaitForASelect() throws Exception {
    Selector selector = selector();
    Task<Integer> selecting = Task.start(selector::select);
    selecting.awaitBlocked("select");
    SelectionKey key = register(link().near(), selector, OP_WRITE);
    assertThat(key.isValid()).isTrue();
    selector.wakeup();
    int count = selecting.join();
    if (count == 0) {
      count = selector.select();
    }
    assertThat(count).isEqualTo(1);
  }

  @Test
  void aStrangersChannelIsRefused() throws IOException {
    Selector selector = selector();
    StrangeChannel channel = closing(new StrangeChannel(nio()));
    channel.configureBlocking(false);
    assertThatThrownBy(() -> channel.register(selector, OP_READ))
        .isInstanceOf(IllegalSelectorException.class);
  }

  @Test
  void aStrangersSelectorMayRefuseUs() throws IOException {
    StrangeSelector selector = closing(new StrangeSelector(nio()));
    SocketChannel channel = socket();
    channel.configureBlocking(false);
    assertThatThrownBy(() -> channel.register(selector, OP_READ))
        .isInstanceOf(IllegalSelectorException.class);
    assertThat(channel.isRegistered()).isFalse();
  }

  @Test
  void channelsInWhateverStateMayRegister() throws Exception {
    Selector selector = selector();
    register(socket(), selector, SelectionKey.OP_CONNECT);
    register(socket(), selector, OP_READ);
    register(server(), selector, SelectionKey.OP_ACCEPT);
    register(datagram(), selector, OP_READ);
    register(pipe().source(), selector, OP_READ);
    selector.select(20);
    Link link = link();
    SelectionKey key = register(link.near(), selector, OP_READ);
    send(link.far(), "x");
    awaitReady(selector, key, OP_READ);
  }

  /// A channel that no selector knows.
  private static final class StrangeChannel extends AbstractSelectableChannel {
    StrangeChannel(SelectorProvider provider) {
      super(provider);
    }

    @Override
    public int validOps() {
      return OP_READ;
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
  }

  /// A selector that knows no channel.
  private static final class StrangeSelector extends AbstractSelector {
    StrangeSelector(SelectorProvider provider) {
      super(provider);
    }

    @Override
    protected void implCloseSelector() {}

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
      throw new IllegalSelectorException();
    }

    @Override
    public Set<SelectionKey> keys() {
      return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
      return Set.of();
    }

    @Override
    public int selectNow() {
      return 0;
    }

    @Override
    public int select(long timeout) {
      return 0;
    }

    @Override
    public int select() {
      return 0;
    }

    @Override
    public Selector wakeup() {
      return this;
    }
  }
}
