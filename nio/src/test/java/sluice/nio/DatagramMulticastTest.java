package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import org.junit.jupiter.api.Test;

/// Groups on the loopback interface.
class DatagramMulticastTest extends Scenario {
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.255.7.9");

  @Test
  void membersHearTheGroupUntilTheyDropOut() throws Exception {
    DatagramChannel member = datagram().bind(new InetSocketAddress(0));
    DatagramChannel sender = sender();
    InetSocketAddress group = new InetSocketAddress(GROUP, addressOf(member).getPort());
    MembershipKey key = member.join(GROUP, lo());
    assertThat(key.isValid()).isTrue();
    assertThat(key.channel()).isSameAs(member);
    assertThat(key.group()).isEqualTo(GROUP);
    assertThat(key.networkInterface()).isEqualTo(lo());
    assertThat(key.sourceAddress()).isNull();
    assertThat(member.join(GROUP, lo())).isSameAs(key);
    sender.send(text("to all"), group);
    ByteBuffer buffer = ByteBuffer.allocate(10);
    assertThat(member.receive(buffer)).isEqualTo(sender.getLocalAddress());
    assertThat(buffer.flip()).isEqualTo(text("to all"));
    key.drop();
    key.drop();
    assertThat(key.isValid()).isFalse();
    sender.send(text("nobody"), group);
    assertSilent(member, sender);
    assertThat(member.join(GROUP, lo())).isNotSameAs(key);
    assertThat(key.toString()).isNotEmpty();
  }

  @Test
  void blockedSourcesAreNotHeard() throws Exception {
    DatagramChannel member = datagram().bind(new InetSocketAddress(0));
    DatagramChannel sender = sender();
    InetSocketAddress group = new InetSocketAddress(GROUP, addressOf(member).getPort());
    MembershipKey key = member.join(GROUP, lo());
    InetAddress source = loopback(0).getAddress();
    assertThatThrownBy(() -> key.unblock(source)).isInstanceOf(IllegalStateException.class);
    assertThat(key.block(source)).isSameAs(key);
    key.block(source);
    sender.send(text("blocked"), group);
    assertSilent(member, sender);
    assertThat(key.unblock(source)).isSameAs(key);
    sender.send(text("heard"), group);
    ByteBuffer buffer = ByteBuffer.allocate(10);
    member.receive(buffer);
    assertThat(buffer.flip()).isEqualTo(text("heard"));
    key.drop();
    assertThatThrownBy(() -> key.block(source)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> key.unblock(source)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMemberOfOneSourceHearsOnlyThat() throws Exception {
    DatagramChannel member = datagram().bind(new InetSocketAddress(0));
    DatagramChannel sender = sender();
    InetSocketAddress group = new InetSocketAddress(GROUP, addressOf(member).getPort());
    InetAddress source = loopback(0).getAddress();
    InetAddress other = InetAddress.ofLiteral("127.0.0.9");
    MembershipKey wrong = member.join(GROUP, lo(), other);
    assertThat(wrong.sourceAddress()).isEqualTo(other);
    sender.send(text("unheard"), group);
    assertSilent(member, sender);
    assertThatThrownBy(() -> wrong.block(source)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> member.join(GROUP, lo())).isInstanceOf(IllegalStateException.class);
    MembershipKey right = member.join(GROUP, lo(), source);
    assertThat(member.join(GROUP, lo(), source)).isSameAs(right);
    sender.send(text("heard"), group);
    assertThat(member.receive(ByteBuffer.allocate(10))).isEqualTo(sender.getLocalAddress());
    right.drop();
    wrong.drop();
  }

  @Test
  void onlyGroupsMayBeJoined() throws Exception {
    DatagramChannel member = datagram().bind(new InetSocketAddress(0));
    assertThatThrownBy(() -> member.join(loopback(0).getAddress(), lo()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> member.join(InetAddress.ofLiteral("ff02::1234"), lo()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> member.join(GROUP, lo(), GROUP))
        .isInstanceOf(IllegalArgumentException.class);
    MembershipKey key = member.join(GROUP, lo());
    assertThatThrownBy(() -> key.block(GROUP)).isInstanceOf(IllegalArgumentException.class);
    member.close();
    assertThat(key.isValid()).isFalse();
    assertThatThrownBy(() -> member.join(GROUP, lo()))
        .isInstanceOf(java.nio.channels.ClosedChannelException.class);
  }

  private DatagramChannel sender() throws Exception {
    return boundDatagram()
        .setOption(StandardSocketOptions.IP_MULTICAST_IF, lo())
        .setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
  }

  /// Loopback keeps the order: the first that comes is what is sent now, to the channel itself.
  private static void assertSilent(DatagramChannel channel, DatagramChannel sender)
      throws Exception {
    sender.send(text("to you"), loopback(addressOf(channel).getPort()));
    ByteBuffer buffer = ByteBuffer.allocate(10);
    channel.receive(buffer);
    assertThat(buffer.flip()).isEqualTo(text("to you"));
  }

  private static NetworkInterface lo() throws Exception {
    return NetworkInterface.getByInetAddress(loopback(0).getAddress());
  }
}
