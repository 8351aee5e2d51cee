package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;

/// Binding: where to, how often, and what the addresses say.
class BindTest extends Scenario {
  @Test
  void anUnboundChannelHasNoAddress() throws Exception {
    assertThat(socket().getLocalAddress()).isNull();
    assertThat(server().getLocalAddress()).isNull();
    assertThat(datagram().getLocalAddress()).isNull();
    assertThat(socket().getRemoteAddress()).isNull();
    assertThat(datagram().getRemoteAddress()).isNull();
  }

  @Test
  void nullMeansAnyAddressAndPort() throws Exception {
    SocketChannel socket = socket();
    assertThat(socket.bind(null)).isSameAs(socket);
    assertThat(((InetSocketAddress) socket.getLocalAddress()).getPort()).isPositive();
    ServerSocketChannel server = server();
    assertThat(server.bind(null)).isSameAs(server);
    assertThat(addressOf(server).getPort()).isPositive();
    DatagramChannel datagram = datagram();
    assertThat(datagram.bind(null)).isSameAs(datagram);
    assertThat(addressOf(datagram).getPort()).isPositive();
    assertThat(addressOf(datagram).getAddress().isAnyLocalAddress()).isTrue();
  }

  @Test
  void portZeroIsReplacedByTheOneChosen() throws Exception {
    InetSocketAddress chosen = addressOf(listening());
    assertThat(chosen.getPort()).isPositive();
    assertThat(chosen.getAddress()).isEqualTo(loopback(0).getAddress());
    assertThat(addressOf(boundDatagram()).getPort()).isPositive();
  }

  @Test
  void onceIsEnough() throws Exception {
    SocketChannel socket = socket().bind(loopback(0));
    assertThatThrownBy(() -> socket.bind(loopback(0))).isInstanceOf(AlreadyBoundException.class);
    ServerSocketChannel server = listening();
    assertThatThrownBy(() -> server.bind(null)).isInstanceOf(AlreadyBoundException.class);
    DatagramChannel datagram = boundDatagram();
    assertThatThrownBy(() -> datagram.bind(null)).isInstanceOf(AlreadyBoundException.class);
    SocketChannel connected = link().near();
    assertThatThrownBy(() -> connected.bind(null)).isInstanceOf(AlreadyBoundException.class);
  }

  @Test
  void anAddressInUseIsRefused() throws Exception {
    ServerSocketChannel server = listening();
    ServerSocketChannel second = server();
    assertThatThrownBy(() -> second.bind(server.getLocalAddress()))
        .isInstanceOf(BindException.class);
    assertThat(second.getLocalAddress()).isNull();
    second.bind(loopback(0));
    DatagramChannel datagram = boundDatagram();
    DatagramChannel other = datagram();
    assertThatThrownBy(() -> other.bind(datagram.getLocalAddress()))
        .isInstanceOf(BindException.class);
    other.bind(null);
    assertThat(other.getLocalAddress()).isNotNull();
  }

  @Test
  void aStrangersAddressIsRefused() throws Exception {
    InetSocketAddress elsewhere = new InetSocketAddress(InetAddress.ofLiteral("203.0.113.7"), 0);
    assertThatThrownBy(() -> server().bind(elsewhere)).isInstanceOf(SocketException.class);
    assertThatThrownBy(() -> socket().bind(elsewhere)).isInstanceOf(SocketException.class);
    assertThatThrownBy(() -> datagram().bind(elsewhere)).isInstanceOf(SocketException.class);
  }

  @Test
  void addressesMustBeResolvedInternetOnes() throws Exception {
    SocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere", 0);
    assertThatThrownBy(() -> server().bind(unresolved))
        .isInstanceOf(UnresolvedAddressException.class);
    assertThatThrownBy(() -> socket().bind(unresolved))
        .isInstanceOf(UnresolvedAddressException.class);
    SocketAddress strange = new SocketAddress() {};
    assertThatThrownBy(() -> server().bind(strange))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> socket().bind(strange))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> datagram().bind(strange))
        .isInstanceOf(UnsupportedAddressTypeException.class);
  }

  @Test
  void closedChannelsHaveNoAddresses() throws Exception {
    SocketChannel socket = link().near();
    ServerSocketChannel server = listening();
    DatagramChannel datagram = boundDatagram();
    socket.close();
    server.close();
    datagram.close();
    assertThatThrownBy(socket::getLocalAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(socket::getRemoteAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(server::getLocalAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(datagram::getLocalAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(datagram::getRemoteAddress).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> socket.bind(null)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> server.bind(null)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> datagram.bind(null)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void bothEndsAgreeOnTheirAddresses() throws Exception {
    ServerSocketChannel server = listening();
    SocketChannel near = socket();
    near.connect(server.getLocalAddress());
    SocketChannel far = closing(server.accept());
    assertThat(far.getRemoteAddress()).isEqualTo(near.getLocalAddress());
    assertThat(far.getLocalAddress()).isEqualTo(near.getRemoteAddress());
    assertThat(far.getLocalAddress()).isEqualTo(server.getLocalAddress());
  }

  @Test
  void theBacklogMayBeAnything() throws Exception {
    for (int backlog : new int[] {-1, 0, 1, 10_000}) {
      ServerSocketChannel server = server().bind(loopback(0), backlog);
      SocketChannel near = socket();
      assertThat(near.connect(server.getLocalAddress())).isTrue();
      assertThat(closing(server.accept()).isConnected()).isTrue();
    }
  }

  @Test
  void aClosedServersPortMayBeTakenAtOnce() throws Exception {
    ServerSocketChannel server = listening();
    InetSocketAddress address = addressOf(server);
    SocketChannel near = socket();
    near.connect(address);
    closing(server.accept()).close(); // this side waits in TIME_WAIT
    server.close();
    assertThat(addressOf(server().bind(address))).isEqualTo(address);
  }
}
