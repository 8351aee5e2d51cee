package sluice.nio;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import sluice.testbase.Await;

/// Connecting: at once, pending, refused, and out of turn.
class ConnectTest extends Scenario {
  @Test
  void aBlockingConnectIsDoneWhenItReturns() throws Exception {
    ServerSocketChannel server = listening();
    SocketChannel channel = socket();
    assertThat(channel.isConnected()).isFalse();
    assertThat(channel.getRemoteAddress()).isNull();
    assertThat(channel.connect(server.getLocalAddress())).isTrue();
    assertThat(channel.isConnected()).isTrue();
    assertThat(channel.isConnectionPending()).isFalse();
    assertThat(channel.finishConnect()).as("harmless when connected").isTrue();
    assertThat(channel.getRemoteAddress()).isEqualTo(server.getLocalAddress());
    assertThatThrownBy(() -> channel.connect(server.getLocalAddress()))
        .isInstanceOf(AlreadyConnectedException.class);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aSelectedConnectIsFinishedWhenReady() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    for (int i = 0; i < 20; i++) {
      SocketChannel channel = socket();
      channel.configureBlocking(false);
      if (!channel.connect(server.getLocalAddress())) {
        assertThat(channel.isConnectionPending()).isTrue();
        SelectionKey key = channel.register(selector, OP_CONNECT);
        awaitReady(selector, key, OP_CONNECT);
        assertThat(channel.finishConnect()).isTrue();
        key.interestOps(OP_WRITE);
        awaitReady(selector, key, OP_WRITE);
      }
      assertThat(channel.isConnectionPending()).isFalse();
      assertThat(channel.isConnected()).isTrue();
      SocketChannel far = closing(server.accept());
      writeFully(channel, text("hi"));
      assertThat(text(readFully(far, 2))).isEqualTo("hi");
    }
  }

  @Test
  void registeringBeforeConnectWorksToo() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    SocketChannel channel = socket();
    SelectionKey key = register(channel, selector, OP_CONNECT);
    selector.selectedKeys().clear();
    selector.selectNow();
    selector.selectedKeys().clear();
    if (!channel.connect(server.getLocalAddress())) {
      awaitReady(selector, key, OP_CONNECT);
      assertThat(channel.finishConnect()).isTrue();
    }
    assertThat(channel.isConnected()).isTrue();
  }

  @Test
  void finishConnectMayBePolled() throws Exception {
    SocketChannel channel = socket();
    channel.configureBlocking(false);
    boolean _ = channel.connect(listening().getLocalAddress());
    Await.until("the connection", channel::finishConnect);
    assertThat(channel.isConnected()).isTrue();
  }

  @Test
  void aBlockingFinishConnectWaits() throws Exception {
    SocketChannel channel = socket();
    channel.configureBlocking(false);
    boolean _ = channel.connect(listening().getLocalAddress());
    channel.configureBlocking(true);
    assertThat(channel.finishConnect()).isTrue();
    assertThat(channel.isConnected()).isTrue();
  }

  @Test
  void aRefusedBlockingConnectClosesTheChannel() throws Exception {
    SocketChannel channel = socket();
    InetSocketAddress nobody = deserted();
    assertThatThrownBy(() -> channel.connect(nobody)).isInstanceOf(ConnectException.class);
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> channel.connect(nobody)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aRefusedSelectedConnectIsReadyAndFailsInFinishConnect() throws Exception {
    Selector selector = selector();
    SocketChannel channel = socket();
    channel.configureBlocking(false);
    try {
      boolean _ = channel.connect(deserted());
    } catch (ConnectException e) {
      assertThat(channel.isOpen()).isFalse();
      return;
    }
    SelectionKey key = channel.register(selector, OP_CONNECT);
    awaitReady(selector, key, OP_CONNECT);
    assertThatThrownBy(channel::finishConnect).isInstanceOf(ConnectException.class);
    assertThat(channel.isOpen()).isFalse();
    assertThat(key.isValid()).isFalse();
    assertThat(selector.selectNow()).isZero();
  }

  @Test
  void finishConnectNeedsAConnect() throws Exception {
    SocketChannel channel = socket();
    assertThatThrownBy(channel::finishConnect).isInstanceOf(NoConnectionPendingException.class);
    channel.close();
    assertThatThrownBy(channel::finishConnect).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aPendingConnectRefusesASecondOneAndABind() throws Exception {
    try (FullServer full = new FullServer()) {
      SocketChannel channel = full.pending(this);
      assertThat(channel.isConnectionPending()).isTrue();
      assertThat(channel.isConnected()).isFalse();
      assertThat(channel.finishConnect()).isFalse();
      assertThatThrownBy(() -> channel.connect(full.address()))
          .isInstanceOf(ConnectionPendingException.class);
      assertThatThrownBy(() -> channel.bind(null)).isInstanceOf(ConnectionPendingException.class);
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
          .isInstanceOf(NotYetConnectedException.class);
      assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1)))
          .isInstanceOf(NotYetConnectedException.class);
      Selector selector = selector();
      SelectionKey key = channel.register(selector, OP_CONNECT);
      assertThat(isReady(selector, key, 20)).isFalse();
      channel.close();
      assertThat(selector.selectNow()).isZero();
    }
  }

  @Test
  void whatNeedsAConnectionSaysSo() throws Exception {
    SocketChannel channel = socket();
    ByteBuffer buffer = ByteBuffer.allocate(4);
    ByteBuffer[] buffers = {buffer};
    assertThatThrownBy(() -> channel.read(buffer)).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> channel.read(buffers)).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> channel.write(buffer)).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> channel.write(buffers)).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(channel::shutdownInput).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(channel::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void addressesThatCannotBe() throws Exception {
    SocketChannel channel = socket();
    assertThatThrownBy(() -> channel.connect(InetSocketAddress.createUnresolved("nowhere", 1)))
        .isInstanceOf(UnresolvedAddressException.class);
    assertThat(channel.isOpen())
        .as("whether it lives on is the channel's affair")
        .isIn(true, false);
    SocketChannel other = socket();
    assertThatThrownBy(() -> other.connect(new SocketAddress() {}))
        .isInstanceOf(UnsupportedAddressTypeException.class);
  }

  @Test
  void theWildcardAddressMeansThisHost() throws Exception {
    ServerSocketChannel server = server().bind(new InetSocketAddress(0));
    SocketChannel channel = socket();
    assertThat(channel.connect(new InetSocketAddress(addressOf(server).getPort()))).isTrue();
    assertThat(closing(server.accept()).isConnected()).isTrue();
  }

  @Test
  void connectAfterBindKeepsTheLocalAddress() throws Exception {
    SocketChannel channel = socket().bind(loopback(0));
    SocketAddress local = channel.getLocalAddress();
    ServerSocketChannel server = listening();
    channel.connect(server.getLocalAddress());
    assertThat(channel.getLocalAddress()).isEqualTo(local);
    assertThat(closing(server.accept()).getRemoteAddress()).isEqualTo(local);
  }

  /// An address without a listener.
  private InetSocketAddress deserted() throws Exception {
    try (ServerSocketChannel server = listening()) {
      return addressOf(server);
    }
  }
}
