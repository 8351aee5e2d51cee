package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The old datagram socket of a channel.
class AdaptorDatagramTest extends Scenario {
  @Test
  void itIsAlwaysTheSameAndKnowsItsChannel() throws Exception {
    DatagramChannel channel = datagram();
    DatagramSocket adaptor = channel.socket();
    assertThat(channel.socket()).isSameAs(adaptor);
    assertThat(adaptor.getChannel()).isSameAs(channel);
    assertThat(adaptor.isBound()).isFalse();
    assertThat(adaptor.getPort()).isEqualTo(-1);
    adaptor.bind(loopback(0));
    assertThat(adaptor.isBound()).isTrue();
    assertThat(adaptor.getLocalPort()).isEqualTo(addressOf(channel).getPort());
    assertThat(adaptor.getLocalAddress()).isEqualTo(loopback(0).getAddress());
    assertThat(adaptor.toString()).isNotEmpty();
    adaptor.close();
    assertThat(adaptor.isClosed()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void packetsGoBothWays() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    byte[] bytes = "packet".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    one.socket().send(new DatagramPacket(bytes, 6, two.getLocalAddress()));
    DatagramPacket packet = new DatagramPacket(new byte[4], 4);
    two.socket().setSoTimeout(30_000);
    two.socket().receive(packet);
    assertThat(packet.getLength()).isEqualTo(4);
    assertThat(packet.getSocketAddress()).isEqualTo(one.getLocalAddress());
    one.socket().connect(two.getLocalAddress());
    assertThat(one.isConnected()).isTrue();
    assertThat(one.socket().getRemoteSocketAddress()).isEqualTo(two.getLocalAddress());
    one.socket().send(new DatagramPacket(bytes, 2, 3));
    two.socket().receive(packet);
    assertThat(text(java.util.Arrays.copyOf(packet.getData(), packet.getLength())))
        .isEqualTo("cke");
    one.socket().disconnect();
    assertThat(one.isConnected()).isFalse();
  }

  @Test
  void aPacketThatIsUsedAgainHasItsRoomAgain() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    two.socket().setSoTimeout(30_000);
    byte[] bytes = "packet".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    DatagramPacket packet = new DatagramPacket(new byte[10], 1, 5);
    for (int length : new int[] {2, 4, 1, 6, 3}) {
      one.socket().send(new DatagramPacket(bytes, length, two.getLocalAddress()));
      two.socket().receive(packet);
      assertThat(packet.getLength()).isEqualTo(Math.min(length, 5));
    }
    packet.setLength(2);
    one.socket().send(new DatagramPacket(bytes, 4, two.getLocalAddress()));
    two.socket().receive(packet);
    assertThat(packet.getLength()).isEqualTo(2);
  }

  @Test
  void noAddressIsAnIllegalArgument() throws Exception {
    DatagramSocket adaptor = boundDatagram().socket();
    assertThatThrownBy(() -> adaptor.connect(null, 7000))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> adaptor.connect(null)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anInterruptEndsAReceiveAndClosesTheChannel() throws Exception {
    DatagramChannel channel = boundDatagram();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> channel.socket().receive(new DatagramPacket(new byte[4], 4)))
        .isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aReceiveWithATimeoutGivesUp() throws Exception {
    DatagramChannel channel = boundDatagram();
    channel.socket().setSoTimeout(50);
    DatagramPacket packet = new DatagramPacket(new byte[4], 4);
    long start = System.nanoTime();
    assertThatThrownBy(() -> channel.socket().receive(packet))
        .isInstanceOf(SocketTimeoutException.class);
    assertThat(System.nanoTime() - start).isGreaterThan(45_000_000L);
    assertThat(channel.isOpen()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void closingEndsAReceive(Task.Kind kind) throws Exception {
    DatagramChannel channel = boundDatagram();
    Task<Boolean> receiving =
        kind.start(() -> {
          channel.socket().receive(new DatagramPacket(new byte[4], 4));
          return true;
        });
    receiving.awaitBlocked("receive");
    channel.socket().close();
    assertThat(receiving.failure()).isInstanceOf(IOException.class);
  }

  @Test
  void nonBlockingChannelsHaveNoBlockingPackets() throws Exception {
    DatagramChannel channel = boundDatagram();
    channel.configureBlocking(false);
    DatagramPacket packet = new DatagramPacket(new byte[4], 4);
    assertThatThrownBy(() -> channel.socket().receive(packet))
        .isInstanceOf(IllegalBlockingModeException.class);
  }

  @Test
  void optionsOfTheOldKind() throws Exception {
    DatagramSocket adaptor = datagram().socket();
    adaptor.setBroadcast(true);
    assertThat(adaptor.getBroadcast()).isTrue();
    adaptor.setReuseAddress(true);
    assertThat(adaptor.getReuseAddress()).isTrue();
    adaptor.setSendBufferSize(50_000);
    assertThat(adaptor.getSendBufferSize()).isPositive();
    adaptor.setReceiveBufferSize(50_000);
    assertThat(adaptor.getReceiveBufferSize()).isPositive();
    adaptor.setTrafficClass(8);
    assertThat(adaptor.supportedOptions()).isNotEmpty();
  }

  @Test
  @SuppressWarnings("deprecation") // old applications call them
  void itIsAMulticastSocket() throws Exception {
    DatagramChannel channel = datagram();
    assertThat(channel.socket()).isInstanceOf(MulticastSocket.class);
    MulticastSocket adaptor = (MulticastSocket) channel.socket();
    adaptor.setTimeToLive(7);
    assertThat(adaptor.getTimeToLive()).isEqualTo(7);
    assertThat(channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL)).isEqualTo(7);
    adaptor.setLoopbackMode(true);
    assertThat(adaptor.getLoopbackMode()).isTrue();
    assertThat(channel.getOption(StandardSocketOptions.IP_MULTICAST_LOOP)).isFalse();
    assertThat(adaptor.getNetworkInterface().getInetAddresses().nextElement().isAnyLocalAddress())
        .isTrue();
    NetworkInterface loopback = NetworkInterface.getByInetAddress(loopback(0).getAddress());
    adaptor.setNetworkInterface(loopback);
    assertThat(adaptor.getNetworkInterface()).isEqualTo(loopback);
    adaptor.setInterface(loopback(0).getAddress());
    assertThat(adaptor.getInterface()).isEqualTo(loopback(0).getAddress());
    adaptor.bind(loopback(0));
    InetSocketAddress group = new InetSocketAddress(InetAddress.ofLiteral("239.1.2.3"), 0);
    adaptor.joinGroup(group, loopback);
    assertThatThrownBy(() -> adaptor.joinGroup(group, loopback))
        .isInstanceOf(SocketException.class);
    adaptor.leaveGroup(group, loopback);
    assertThatThrownBy(() -> adaptor.leaveGroup(group, loopback))
        .isInstanceOf(SocketException.class);
    adaptor.joinGroup(group.getAddress());
    assertThatThrownBy(() -> adaptor.joinGroup(group.getAddress()))
        .isInstanceOf(SocketException.class);
    adaptor.leaveGroup(group.getAddress());
    adaptor.close();
    assertThatThrownBy(() -> adaptor.setTimeToLive(1)).isInstanceOf(SocketException.class);
    assertThatThrownBy(() -> adaptor.joinGroup(group, loopback))
        .isInstanceOf(SocketException.class);
  }

  @Test
  @SuppressWarnings({"deprecation", "NullAway"}) // old applications call them, and pass null
  void onlyGroupsAreJoinedAndLeft() throws Exception {
    MulticastSocket adaptor = (MulticastSocket) datagram().socket();
    NetworkInterface loopback = NetworkInterface.getByInetAddress(loopback(0).getAddress());
    InetAddress host = loopback(0).getAddress();
    InetAddress other = InetAddress.ofLiteral("ff02::a");
    SocketAddress strange = new SocketAddress() {};
    fails(SocketException.class, () -> adaptor.joinGroup(host), () -> adaptor.leaveGroup(host));
    fails(SocketException.class, () -> adaptor.joinGroup(other), () -> adaptor.leaveGroup(other));
    fails(
        NullPointerException.class, () -> adaptor.joinGroup(null), () -> adaptor.leaveGroup(null));
    for (NetworkInterface at : new NetworkInterface[] {loopback, null}) {
      fails(
          SocketException.class,
          () -> adaptor.joinGroup(loopback(0), at),
          () -> adaptor.leaveGroup(loopback(0), at),
          () -> adaptor.leaveGroup(new InetSocketAddress(other, 0), at));
      fails(
          IllegalArgumentException.class,
          () -> adaptor.joinGroup(new InetSocketAddress(other, 0), at),
          () -> adaptor.joinGroup(InetSocketAddress.createUnresolved("nowhere", 0), at),
          () -> adaptor.leaveGroup(InetSocketAddress.createUnresolved("nowhere", 0), at),
          () -> adaptor.joinGroup(strange, at),
          () -> adaptor.leaveGroup(strange, at),
          () -> adaptor.joinGroup(null, at),
          () -> adaptor.leaveGroup(null, at));
    }
    fails(IllegalArgumentException.class, () -> adaptor.setNetworkInterface(null));
    fails(SocketException.class, () -> adaptor.setInterface(null));
  }

  @Test
  void aGroupOfTheOtherFamilyIsJoinedByTheInterfaceThatWasChosen() throws Exception {
    NetworkInterface loopback = NetworkInterface.getByInetAddress(loopback(0).getAddress());
    MulticastSocket adaptor = (MulticastSocket) closing(nio().openDatagramChannel()).socket();
    adaptor.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
    InetSocketAddress group = new InetSocketAddress(InetAddress.ofLiteral("239.1.2.3"), 0);
    adaptor.joinGroup(group, null);
    fails(SocketException.class, () -> adaptor.joinGroup(group, loopback));
    adaptor.leaveGroup(group, loopback);
  }

  private static void fails(Class<? extends Exception> as, ThrowingCallable... calls) {
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isInstanceOf(as);
    }
  }
}
