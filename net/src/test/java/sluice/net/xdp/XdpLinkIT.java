package sluice.net.xdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.LinkRig;
import sluice.net.port.LinkChange;
import sluice.net.stack.UdpSocket;
import sluice.net.wire.Checksum;
import sluice.sys.xdp.NetInterface;
import sluice.testbase.Await;

/// Tests our stack on AF_XDP over links with large and small MTUs, and over links that are changed
/// or deleted.
@Timeout(300)
class XdpLinkIT {
  private LinkRig rig;

  @BeforeEach
  void enter() {
    rig = LinkRig.veth();
  }

  @AfterEach
  void leave() {
    if (rig != null) {
      rig.close();
    }
  }

  private XdpPort open(boolean owned, int queues) throws IOException {
    XdpPort port = rig.openXdp(owned, queues);
    UdpSocket _ = rig.echo(7);
    port.own(7);
    return port;
  }

  @Test
  void longFramesComeAndGoWhole() throws Exception {
    for (int mtu : new int[] {1774, 1775, 2100, 9000, 9216}) {
      rig.link(mtu, 1);
      XdpPort port = open(true, 1);
      try (DatagramChannel channel = rig.channel()) {
        for (int length :
            new int[] {0, 1, 1472, 1746, 1747, 2000, 3700, 3840, 4096, 7600, 8972, 9188}) {
          if (length <= mtu - 28) {
            rig.exchange(channel, 7, length);
          }
        }
        assertThat(rig.stack().counters().fragments()).as("%d", mtu).isZero();
        rig.exchange(channel, 7, mtu - 27);
        rig.exchange(channel, 7, 65_507);
        for (int i = 0; i < 300; i++) { // uses each frame many times
          rig.exchange(channel, 7, mtu - 28 - i % 7);
        }
      }
      assertThat(port.lost()).isZero();
      rig.unlink();
    }
  }

  @Test
  void longFramesBesideTheKernelsAddress() throws Exception {
    rig.link(9000, 2);
    XdpPort _ = open(false, 0);
    for (int i = 0; i < 20; i++) { // through both queues
      try (DatagramChannel channel = rig.channel()) {
        rig.exchange(channel, 7, 8972);
        rig.exchange(channel, 7, 100);
      }
    }
  }

  @Test
  void manyLongFramesAtOnceAreSentAndTakenWhole() throws Exception {
    rig.link(9000, 1);
    XdpPort port = open(true, 1);
    try (DatagramChannel channel = rig.channel()) {
      channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4 << 20);
      rig.exchange(channel, 7, 1);
      int came = 0;
      int sent = 0;
      ByteBuffer data = ByteBuffer.allocate(8972);
      ByteBuffer into = ByteBuffer.allocate(10_000);
      Await await = new Await();
      while (came < 20_000) {
        await.check("20000 replies, " + came);
        for (int i = 0; i < 8 && sent - came < 16; i++) {
          sent += channel.send(data.rewind(), new InetSocketAddress("10.9.0.2", 7)) > 0 ? 1 : 0;
        }
        int _ = rig.stack().poll();
        while (channel.receive(into.clear()) != null) {
          assertThat(into.position()).isEqualTo(8972);
          came++;
        }
      }
      assertThat(port.lost()).isZero();
    }
  }

  @Test
  void aLinkThatIsTooLongIsRefusedWithTheFix() throws Exception {
    rig.link(9217, 1);
    assertThatThrownBy(() -> open(true, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the MTU of 9217 is above 9216")
        .hasMessageContaining("Why: ")
        .hasMessageContaining("Fix: ip link set dev vA mtu 9216");
    assertThat(rig.run("ip link show vA")).doesNotContain("xdp");
  }

  @Test
  void anMtuThatIsLoweredIsNoticedAndPacketsAreCut() throws Exception {
    rig.link(1500, 1);
    XdpPort _ = open(true, 1);
    try (DatagramChannel channel = rig.channel()) {
      rig.exchange(channel, 7, 1472);
      assertThat(rig.changes(LinkChange.MTU)).isZero();
      rig.mtu(1000);
      rig.pollUntil("the change", () -> rig.changes(LinkChange.MTU) == 1);
      for (int length : new int[] {972, 973, 1472, 5000}) {
        rig.exchange(channel, 7, length);
      }
      rig.mtu(1500);
      rig.pollUntil("the change back", () -> rig.changes(LinkChange.MTU) == 2);
      rig.exchange(channel, 7, 1472);
      rig.mtu(9000);
      rig.pollUntil("too long", () -> rig.changes(LinkChange.MTU) == 3);
      rig.exchange(channel, 7, 1472);
      int _ = channel.send(ByteBuffer.allocate(8000), new InetSocketAddress("10.9.0.2", 7));
      rig.pollUntil("what is lost is counted", () -> rig.stack().counters().lost() > 0);
    }
  }

  @Test
  void aLinkThatGoesDownAndAwayIsNoticed() throws Exception {
    rig.link(1500, 1);
    XdpPort port = open(true, 1);
    try (DatagramChannel channel = rig.channel()) {
      rig.exchange(channel, 7, 10);
      String _ = rig.run("ip link set dev vA down");
      rig.pollUntil("down", () -> rig.changes(LinkChange.DOWN) == 1);
      String _ = rig.run("ip link set dev vA up");
      rig.pollUntil("up", () -> rig.changes(LinkChange.UP) >= 1);
      rig.exchange(channel, 7, 10);
      String _ = rig.run("ip link del dev vA");
      rig.pollUntil("gone", () -> rig.changes(LinkChange.GONE) == 1);
      assertThat(port.isGone()).isTrue();
      for (int i = 0; i < 3000; i++) {
        boolean _ = rig.stack().echo(LinkRig.KERNEL, i, new byte[100]);
        int _ = rig.stack().poll();
        rig.stack().tick();
      }
      assertThat(rig.changes(LinkChange.GONE)).isEqualTo(1);
    }
  }

  @Test
  void aNewHardwareAddressIsFollowedAndAnnounced() throws Exception {
    rig.link(1500, 1);
    XdpPort _ = open(true, 1);
    try (DatagramChannel channel = rig.channel()) {
      rig.exchange(channel, 7, 10);
      String _ = rig.run("ip link set dev vA address 02:00:00:00:00:77");
      rig.pollUntil("the change", () -> rig.changes(LinkChange.HARDWARE) == 1);
      rig.pollUntil(
          "the kernel knows", () -> rig.there("ip neigh show dev vB").contains("00:00:77"));
      rig.exchange(channel, 7, 10);
    }
  }

  @Test
  void theKernelsAddressIsWatched() throws Exception {
    rig.link(1500, 1);
    XdpPort _ = open(false, 1);
    String _ = rig.run("ip addr del 10.9.0.2/24 dev vA");
    rig.pollUntil("the change", () -> rig.changes(LinkChange.ADDRESS) == 1);
  }

  @Test
  void aStationThatTellsItsNewAddressIsBelievedAtOnce() throws Exception {
    for (boolean owned : new boolean[] {true, false}) {
      rig.link(1500, 1);
      XdpPort _ = open(owned, 1);
      String _ = rig.there("sysctl -q -w net.ipv4.conf.vB.arp_notify=1");
      try (DatagramChannel channel = rig.channel()) {
        rig.exchange(channel, 7, 10);
        String _ =
            rig.there("ip link set dev vB address 02:00:00:00:00:99"); // the kernel announces it
        UdpSocket socket = rig.stack().bind(1000, _ -> {});
        MemorySegment memory = Arena.ofAuto().allocate(100);
        int to = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        long start = System.nanoTime();
        ByteBuffer came = ByteBuffer.allocate(100);
        rig.pollUntil(
            "a datagram to the new address",
            () -> {
              boolean _ = socket.send(memory, 50, 10, LinkRig.KERNEL, to);
              rig.stack().flush();
              return channel.receive(came) != null;
            });
        assertThat(System.nanoTime() - start).isLessThan(30_000_000_000L);
      }
      rig.unlink();
    }
  }

  @Test
  void queuesAreComparedWithThoseOfTheDevice() throws Exception {
    rig.link(1500, 3);
    assertThatThrownBy(() -> XdpPort.open(new XdpConfig("vA", LinkRig.OURS, true, 4)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no 4 queues")
        .hasMessageContaining("Fix: queues=3");
    XdpPort _ = open(true, 0);
    for (int i = 0; i < 20; i++) {
      try (DatagramChannel channel = rig.channel()) {
        rig.exchange(channel, 7, 500 + i);
      }
    }
  }

  @Test
  void aRecordedRouteDoesNoHarm() throws Exception {
    rig.link(1500, 1);
    XdpPort _ = open(true, 1);
    rig.bePinged(5, "-R");
    rig.bePinged(5, "-T tsonly");
  }

  private static byte[] ethernet(long to, int type, int payloadBytes) {
    ByteBuffer frame = ByteBuffer.allocate(14 + payloadBytes);
    frame.putShort((short) (to >>> 32)).putInt((int) to);
    return frame.put(new byte[] {2, 0, 0, 0, 0, 9}).putShort((short) type).array();
  }

  private static byte[] arp(long to, int operation, int sender, int target) {
    byte[] frame = ethernet(to, 0x0806, 28);
    ByteBuffer packet = ByteBuffer.wrap(frame).position(14);
    packet.putShort((short) 1).putShort((short) 0x0800).putShort((short) 0x0604);
    packet.putShort((short) operation).put(new byte[] {2, 0, 0, 0, 0, 9}).putInt(sender);
    packet.position(38).putInt(target);
    return frame;
  }

  /// Returns a datagram of one byte to port 7 with an 802.1Q tag, as a switch with priorities sends
  /// it.
  private static byte[] tagged(long to, int tag, int from, int fromPort) {
    byte[] frame = ethernet(to, 0x8100, 4 + 29 + 17);
    ByteBuffer packet = ByteBuffer.wrap(frame).position(14);
    packet.putShort((short) tag).putShort((short) 0x0800);
    packet.putShort((short) 0x4500).putShort((short) 29).putInt(0).put((byte) 64).put((byte) 17);
    packet.putShort((short) 0).putInt(from).putInt(LinkRig.OURS);
    packet.putShort((short) fromPort).putShort((short) 7).putShort((short) 9).putShort((short) 0);
    int sum = Checksum.finish(Checksum.sum(MemorySegment.ofArray(frame), 18, 20));
    return ByteBuffer.wrap(frame).putShort(28, (short) sum).put(46, (byte) 5).array();
  }

  @Test
  void framesWithAPriorityAreTakenAndThoseOfVlansAreNot() throws Exception {
    for (boolean owned : new boolean[] {true, false}) {
      rig.link(1500, 1);
      XdpPort port = open(owned, 1);
      try (DatagramChannel channel = rig.channel();
          RawLink raw = rig.there(() -> new RawLink("vB"))) {
        rig.exchange(channel, 7, 1);
        long frames = rig.stack().counters().frames();
        long datagrams = rig.stack().counters().datagrams();
        long to = port.macAddress();
        int fromPort = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        for (int tag : new int[] {5, 0xe005, 0xe000}) {
          byte[] frame = tagged(to, tag, LinkRig.KERNEL, fromPort);
          long from = rig.there(() -> NetInterface.named("vB").macAddress());
          raw.send(
              ByteBuffer.wrap(frame)
                  .putShort(6, (short) (from >>> 32))
                  .putInt(8, (int) from)
                  .array());
        }
        ByteBuffer came = ByteBuffer.allocate(100);
        rig.pollUntil("the reply to a tagged datagram", () -> channel.receive(came) != null);
        assertThat(came.flip().get()).isEqualTo((byte) 5);
        assertThat(rig.stack().counters().datagrams()).isEqualTo(datagrams + 1);
        assertThat(rig.stack().counters().frames())
            .as("the others were the kernel's")
            .isEqualTo(frames + 1);
      }
      rig.unlink();
    }
  }

  @Test
  void anAddressThatAnotherStationDefendsIsGivenUp() throws Exception {
    rig.link(1500, 1);
    String _ = rig.there("ip addr add 10.9.0.2/24 dev vB"); // the kernel of that end answers probes
    XdpPort _ = open(true, 1);
    rig.pollUntil("the answer", () -> rig.stack().counters().addressGivenUp() == 1);
    assertThat(rig.stack().echo(LinkRig.KERNEL, 1, new byte[1])).isFalse();
  }

  @Test
  void anAddressIsDefendedAgainstALateStation() throws Exception {
    rig.link(1500, 1);
    XdpPort port = open(true, 1);
    try (DatagramChannel channel = rig.channel();
        RawLink raw = rig.there(() -> new RawLink("vB"))) {
      rig.exchange(channel, 7, 1);
      long until = System.nanoTime() + 9_000_000_000L; // the time of probes and announcements
      rig.pollUntil("ten seconds", () -> System.nanoTime() - until > 0);
      raw.send(arp(0xffff_ffff_ffffL, 1, LinkRig.OURS, LinkRig.OURS));
      rig.pollUntil("the conflict", () -> rig.stack().counters().addressConflicts() == 1);
      raw.send(arp(port.macAddress(), 2, LinkRig.OURS, 0));
      rig.pollUntil("a second one", () -> rig.stack().counters().addressConflicts() == 2);
      assertThat(rig.stack().counters().addressGivenUp()).isZero();
      rig.exchange(channel, 7, 1);
    }
  }
}
