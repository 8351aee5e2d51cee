package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.AbstractSelectableChannel;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/// The provider itself: identity, families of protocols, both versions of IP.
class ProviderTest extends Scenario {
  private static final ProtocolFamily STRANGE = () -> "STRANGE";

  @Test
  void everythingKnowsItsProvider() throws Exception {
    assertThat(selector().provider()).isSameAs(identity());
    assertThat(socket().provider()).isSameAs(identity());
    assertThat(server().provider()).isSameAs(identity());
    assertThat(datagram().provider()).isSameAs(identity());
    Pipe pipe = pipe();
    assertThat(pipe.source().provider()).isSameAs(identity());
    assertThat(pipe.sink().provider()).isSameAs(identity());
    Pair pair = pair();
    assertThat(pair.far().provider()).as("accepted").isSameAs(identity());
    for (StandardProtocolFamily family : StandardProtocolFamily.values()) {
      assertThat(closing(nio().openSocketChannel(family)).provider()).isSameAs(identity());
      assertThat(closing(nio().openServerSocketChannel(family)).provider()).isSameAs(identity());
    }
    assertThat(pair.near()).isInstanceOf(AbstractSelectableChannel.class);
  }

  @Test
  @SuppressWarnings("NullAway") // asks for the exceptions
  void familiesThatAreNot() {
    assertThatThrownBy(() -> nio().openSocketChannel(STRANGE))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> nio().openServerSocketChannel(STRANGE))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> nio().openDatagramChannel(STRANGE))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> nio().openDatagramChannel(StandardProtocolFamily.UNIX))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> nio().openSocketChannel(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> nio().openServerSocketChannel(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> nio().openDatagramChannel(null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void everyStateHasAName() throws Exception {
    SocketChannel socket = socket();
    assertThat(socket.toString()).contains("unconnected");
    Link link = link();
    assertThat(link.near().toString()).contains("connected", "127.0.0.1");
    link.near().shutdownInput();
    link.near().shutdownOutput();
    assertThat(link.near().toString()).contains("ishut", "oshut");
    ServerSocketChannel server = server();
    assertThat(server.toString()).contains("unbound");
    assertThat(listening().toString()).isNotEmpty().doesNotContain("unbound");
    DatagramChannel datagram = boundDatagram();
    datagram.connect(boundDatagram().getLocalAddress());
    assertThat(datagram.toString()).isNotEmpty();
    for (Channel channel : new Channel[] {socket, server, datagram}) {
      channel.close();
      assertThat(channel.toString()).isNotEmpty();
    }
    assertThat(socket.toString()).contains("closed");
  }

  @Test
  void nothingIsInheritedHere() throws IOException {
    assertThat(nio().inheritedChannel()).isNull();
  }

  @Test
  void aServerOfBothVersionsHearsBoth() throws Exception {
    assumeIpv6();
    ServerSocketChannel server = server().bind(null);
    int port = addressOf(server).getPort();
    SocketChannel four = socket();
    four.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
    InetSocketAddress from4 = (InetSocketAddress) closing(server.accept()).getRemoteAddress();
    assertThat(from4.getAddress()).as("not a mapped one").isInstanceOf(Inet4Address.class);
    SocketChannel six = socket();
    six.connect(new InetSocketAddress(InetAddress.ofLiteral("::1"), port));
    InetSocketAddress from6 = (InetSocketAddress) closing(server.accept()).getRemoteAddress();
    assertThat(from6.getAddress()).isInstanceOf(Inet6Address.class);
    assertThat(from6).isEqualTo(six.getLocalAddress());
    assertThat(((InetSocketAddress) four.getRemoteAddress()).getAddress())
        .isInstanceOf(Inet4Address.class);
  }

  @Test
  void channelsOfVersionFourKnowNoSix() throws Exception {
    InetSocketAddress six = new InetSocketAddress(InetAddress.ofLiteral("::1"), 0);
    SocketChannel socket = closing(nio().openSocketChannel(StandardProtocolFamily.INET));
    assertThatThrownBy(() -> socket.bind(six)).isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> socket.connect(new InetSocketAddress(six.getAddress(), 1)))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    ServerSocketChannel server =
        closing(nio().openServerSocketChannel(StandardProtocolFamily.INET));
    assertThatThrownBy(() -> server.bind(six)).isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> datagram().bind(six))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    server.bind(null);
    assertThat(addressOf(server).getAddress()).isInstanceOf(Inet4Address.class);
    assertThat(socket.connect(loopback(addressOf(server).getPort()))).isTrue();
  }

  @Test
  void channelsOfVersionSixSpeakBoth() throws Exception {
    assumeIpv6();
    ServerSocketChannel server =
        closing(nio().openServerSocketChannel(StandardProtocolFamily.INET6));
    server.bind(new InetSocketAddress(InetAddress.ofLiteral("::"), 0));
    SocketChannel socket = closing(nio().openSocketChannel(StandardProtocolFamily.INET6));
    assertThat(socket.connect(loopback(addressOf(server).getPort()))).isTrue();
    DatagramChannel one = closing(nio().openDatagramChannel(StandardProtocolFamily.INET6));
    one.bind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
    DatagramChannel two = closing(nio().openDatagramChannel());
    assertThat(two.send(text("six"), one.getLocalAddress())).isEqualTo(3);
    InetSocketAddress from = (InetSocketAddress) one.receive(java.nio.ByteBuffer.allocate(8));
    assertThat(from.getAddress()).isInstanceOf(Inet6Address.class);
    DatagramChannel both = closing(nio().openDatagramChannel()).bind(null);
    DatagramChannel four = boundDatagram();
    four.send(text("four"), loopback(addressOf(both).getPort()));
    assertThat(both.receive(java.nio.ByteBuffer.allocate(8))).isEqualTo(four.getLocalAddress());
  }

  private void assumeIpv6() throws IOException {
    try (ServerSocketChannel probe = nio().openServerSocketChannel()) {
      probe.bind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
    } catch (IOException | UnsupportedAddressTypeException e) {
      Assumptions.abort("no IPv6 loopback address here: " + e);
    }
  }
}
