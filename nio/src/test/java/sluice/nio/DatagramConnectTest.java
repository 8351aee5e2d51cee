package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;

/// Datagram channels with one peer.
class DatagramConnectTest extends Scenario {
  @Test
  void aConnectedChannelReadsAndWrites() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    assertThat(one.isConnected()).isFalse();
    assertThat(one.connect(two.getLocalAddress())).isSameAs(one);
    two.connect(one.getLocalAddress());
    assertThat(one.isConnected()).isTrue();
    assertThat(one.getRemoteAddress()).isEqualTo(two.getLocalAddress());
    assertThat(one.write(text("ping"))).isEqualTo(4);
    assertThat(two.read(ByteBuffer.allocate(2))).as("the rest is lost").isEqualTo(2);
    assertThat(two.write(new ByteBuffer[] {text("po"), text(""), text("ng")})).isEqualTo(4);
    ByteBuffer[] in = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(10)};
    assertThat(one.read(in)).isEqualTo(4);
    assertThat(in[0].flip()).isEqualTo(text("p"));
    assertThat(in[1].flip()).isEqualTo(text("ong"));
    assertThat(one.send(text("same"), two.getLocalAddress())).isEqualTo(4);
    assertThat(two.receive(ByteBuffer.allocate(9))).isEqualTo(one.getLocalAddress());
  }

  @Test
  void withoutAConnectionThereIsNoReadAndWrite() throws Exception {
    DatagramChannel channel = boundDatagram();
    ByteBuffer buffer = ByteBuffer.allocate(1);
    assertThatThrownBy(() -> channel.read(buffer)).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> channel.write(buffer)).isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> channel.read(new ByteBuffer[] {buffer}))
        .isInstanceOf(NotYetConnectedException.class);
    assertThatThrownBy(() -> channel.write(new ByteBuffer[] {buffer}))
        .isInstanceOf(NotYetConnectedException.class);
  }

  @Test
  void aConnectedChannelHearsOnlyItsPeer() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel peer = boundDatagram();
    DatagramChannel stranger = boundDatagram();
    one.connect(peer.getLocalAddress());
    stranger.send(text("spam"), one.getLocalAddress());
    peer.send(text("real"), one.getLocalAddress());
    ByteBuffer buffer = ByteBuffer.allocate(10);
    assertThat(one.receive(buffer)).isEqualTo(peer.getLocalAddress());
    assertThat(buffer.flip()).isEqualTo(text("real"));
    one.configureBlocking(false);
    assertThat(one.receive(buffer.clear())).isNull();
    assertThat(one.read(buffer)).isZero();
  }

  @Test
  void datagramsThatCameBeforeConnectFromOthersAreNotRead() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel peer = boundDatagram();
    DatagramChannel stranger = boundDatagram();
    stranger.send(text("spam"), one.getLocalAddress());
    one.connect(peer.getLocalAddress());
    one.configureBlocking(false);
    assertThat(one.read(ByteBuffer.allocate(10))).isZero();
  }

  @Test
  void aConnectedChannelSendsOnlyToItsPeer() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel peer = boundDatagram();
    DatagramChannel stranger = boundDatagram();
    one.connect(peer.getLocalAddress());
    assertThatThrownBy(() -> one.send(text("x"), stranger.getLocalAddress()))
        .isInstanceOf(AlreadyConnectedException.class);
    assertThatThrownBy(() -> one.connect(stranger.getLocalAddress()))
        .isInstanceOf(AlreadyConnectedException.class);
    assertThat(one.isOpen()).isTrue();
  }

  @Test
  void aDisconnectedChannelHearsAllPeersAgain() throws Exception {
    DatagramChannel one = boundDatagram();
    InetSocketAddress bound = addressOf(one);
    DatagramChannel peer = boundDatagram();
    DatagramChannel stranger = boundDatagram();
    assertThat(one.disconnect()).as("harmless when not connected").isSameAs(one);
    for (int i = 0; i < 3; i++) {
      one.connect(peer.getLocalAddress());
      assertThat(one.disconnect()).isSameAs(one);
      assertThat(one.isConnected()).isFalse();
      assertThat(one.getRemoteAddress()).isNull();
      assertThat(addressOf(one).getPort()).isEqualTo(bound.getPort());
      assertThatThrownBy(() -> one.write(text("x"))).isInstanceOf(NotYetConnectedException.class);
      stranger.send(text("welcome"), one.getLocalAddress());
      assertThat(one.receive(ByteBuffer.allocate(9))).isEqualTo(stranger.getLocalAddress());
    }
  }

  @Test
  void connectingBindsAnUnboundChannel() throws Exception {
    DatagramChannel one = datagram();
    one.connect(boundDatagram().getLocalAddress());
    assertThat(addressOf(one).getPort()).isPositive();
    assertThat(addressOf(one).getAddress()).isEqualTo(loopback(0).getAddress());
  }

  @Test
  void anUnreachablePortIsReported() throws Exception {
    DatagramChannel one = boundDatagram();
    InetSocketAddress nobody = deserted();
    one.connect(nobody);
    one.write(text("anybody?"));
    assertThatThrownBy(() -> one.read(ByteBuffer.allocate(1)))
        .isInstanceOf(PortUnreachableException.class);
    one.write(text("anybody?"));
    assertThatThrownBy(() -> one.receive(ByteBuffer.allocate(1)))
        .isInstanceOf(PortUnreachableException.class);
    one.configureBlocking(false);
    assertThat(one.read(ByteBuffer.allocate(1))).isZero();
    assertThat(one.isOpen()).isTrue();
  }

  @Test
  void anUnreachablePortMakesTheChannelReady() throws Exception {
    Selector selector = selector();
    DatagramChannel one = boundDatagram();
    one.connect(deserted());
    SelectionKey key = register(one, selector, SelectionKey.OP_READ);
    one.write(text("anybody?"));
    awaitReady(selector, key, SelectionKey.OP_READ);
    assertThatThrownBy(() -> one.read(ByteBuffer.allocate(1)))
        .isInstanceOf(PortUnreachableException.class);
    assertThat(isReady(selector, key, 20)).isFalse();
  }

  @Test
  void connectAndDisconnectWhileRegistered() throws Exception {
    Selector selector = selector();
    DatagramChannel one = boundDatagram();
    DatagramChannel peer = boundDatagram();
    SelectionKey key = register(one, selector, SelectionKey.OP_READ);
    selector.selectNow();
    one.connect(peer.getLocalAddress());
    peer.send(text("a"), one.getLocalAddress());
    awaitReady(selector, key, SelectionKey.OP_READ);
    assertThat(one.read(ByteBuffer.allocate(4))).isEqualTo(1);
    one.disconnect();
    boundDatagram().send(text("bc"), one.getLocalAddress());
    awaitReady(selector, key, SelectionKey.OP_READ);
    ByteBuffer buffer = ByteBuffer.allocate(4);
    assertThat(one.receive(buffer)).isNotNull();
    assertThat(buffer.position()).isEqualTo(2);
  }

  @Test
  void whatCannotBeSaysSo() throws Exception {
    DatagramChannel one = datagram();
    assertThatThrownBy(() -> one.connect(InetSocketAddress.createUnresolved("nowhere", 9)))
        .isInstanceOf(UnresolvedAddressException.class);
    one.close();
    assertThatThrownBy(() -> one.connect(loopback(9))).isInstanceOf(ClosedChannelException.class);
    assertThat(one.isConnected()).isFalse();
    assertThat(one.disconnect()).as("harmless when closed").isSameAs(one);
  }

  private InetSocketAddress deserted() throws Exception {
    try (DatagramChannel channel = boundDatagram()) {
      return addressOf(channel);
    }
  }
}
