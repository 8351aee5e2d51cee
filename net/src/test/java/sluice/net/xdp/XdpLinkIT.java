package sluice.net.xdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.port.LinkChange;
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.UdpSocket;
import sluice.net.wire.Checksum;
import sluice.sys.xdp.NetInterface;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Links that are long, short, changed or deleted, under our stack on AF_XDP.
@Timeout(300)
class XdpLinkIT {
  private static final int OURS = Ipv4Prefix.parseAddress("10.9.0.2");
  private static final int KERNEL = Ipv4Prefix.parseAddress("10.9.0.1");

  private NetRoom peer;
  private NetRoom room;
  private @Nullable XdpPort port;
  private @Nullable Ipv4Stack stack;

  @BeforeEach
  void enter() {
    peer = NetRoom.enter("ip");
    room = NetRoom.enter("ip");
  }

  @AfterEach
  void leave() {
    if (stack != null) {
      stack.close();
    }
    if (room != null) {
      room.close();
    }
    if (peer != null) {
      peer.close();
    }
  }

  private Ipv4Stack stack() {
    return Objects.requireNonNull(stack);
  }

  private void there(String command) {
    String _ = room.outside(() -> room.run(command));
  }

  private void link(int mtu, int queues) {
    room.link("vA", "vB", queues);
    mtu(mtu);
    there("ip addr add 10.9.0.1/24 dev vB");
  }

  private void mtu(int mtu) {
    String _ = room.run("ip link set dev vA mtu " + mtu);
    there("ip link set dev vB mtu " + mtu);
  }

  private void open(boolean owned, int queues) throws IOException {
    if (!owned) {
      String _ = room.run("ip addr add 10.9.0.2/24 dev vA");
    }
    XdpPort opened = XdpPort.open(new XdpConfig("vA", OURS, owned, queues));
    port = opened;
    StackConfig config = StackConfig.of(Ipv4Prefix.parse("10.9.0.2/24")).withOwnsAddress(owned);
    stack = new Ipv4Stack(opened, config, System::nanoTime, System.nanoTime());
    UdpSocket socket = stack.bind(7, _ -> {});
    socket.receiver((memory, at, length, from, fromPort) -> {
      boolean _ = socket.send(memory, at, length, from, fromPort);
    });
    opened.own(7);
  }

  private void pollUntil(String what, Await.Condition<IOException> done) throws IOException {
    Await.until(
        what,
        () -> {
          int _ = stack().poll();
          stack().tick();
          return done.holds();
        });
  }

  private DatagramChannel kernelChannel() throws IOException {
    DatagramChannel channel = room.outside(() -> DatagramChannel.open());
    channel.bind(new InetSocketAddress("10.9.0.1", 0));
    channel.configureBlocking(false);
    return channel;
  }

  private void exchange(DatagramChannel channel, int length) throws IOException {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    int _ = channel.send(ByteBuffer.wrap(data), new InetSocketAddress("10.9.0.2", 7));
    ByteBuffer came = ByteBuffer.allocate(70_000);
    pollUntil("the reply of " + length, () -> channel.receive(came) != null);
    assertThat(Arrays.copyOf(came.array(), came.position())).isEqualTo(data);
  }

  private long changes(LinkChange change) {
    return stack().counters().changes(change);
  }

  @Test
  void longFramesComeAndGoWhole() throws Exception {
    for (int mtu : new int[] {1774, 1775, 2100, 9000, 9216}) {
      link(mtu, 1);
      open(true, 1);
      try (DatagramChannel channel = kernelChannel()) {
        for (int length :
            new int[] {0, 1, 1472, 1746, 1747, 2000, 3700, 3840, 4096, 7600, 8972, 9188}) {
          if (length <= mtu - 28) {
            exchange(channel, length);
          }
        }
        assertThat(stack().counters().fragments()).as("%d", mtu).isZero();
        exchange(channel, mtu - 27);
        exchange(channel, 65_507);
        for (int i = 0; i < 300; i++) { // each frame many times
          exchange(channel, mtu - 28 - i % 7);
        }
      }
      assertThat(port().lost()).isZero();
      stack().close();
      String _ = room.run("ip link del dev vA");
    }
  }

  private XdpPort port() {
    return Objects.requireNonNull(port);
  }

  @Test
  void longFramesBesideTheKernelsAddress() throws Exception {
    link(9000, 2);
    open(false, 0);
    for (int i = 0; i < 20; i++) { // by both queues
      try (DatagramChannel channel = kernelChannel()) {
        exchange(channel, 8972);
        exchange(channel, 100);
      }
    }
  }

  @Test
  void manyLongFramesAtOnceAreSentAndTakenWhole() throws Exception {
    link(9000, 1);
    open(true, 1);
    try (DatagramChannel channel = kernelChannel()) {
      channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4 << 20);
      exchange(channel, 1);
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
        int _ = stack().poll();
        while (channel.receive(into.clear()) != null) {
          assertThat(into.position()).isEqualTo(8972);
          came++;
        }
      }
      assertThat(port().lost()).isZero();
    }
  }

  @Test
  void aLinkThatIsTooLongIsRefusedWithTheFix() throws Exception {
    link(9217, 1);
    assertThatThrownBy(() -> open(true, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the MTU of 9217 is above 9216")
        .hasMessageContaining("Why: ")
        .hasMessageContaining("Fix: ip link set dev vA mtu 9216");
    assertThat(room.run("ip link show vA")).doesNotContain("xdp");
  }

  @Test
  void anMtuThatIsLoweredIsNoticedAndPacketsAreCut() throws Exception {
    link(1500, 1);
    open(true, 1);
    try (DatagramChannel channel = kernelChannel()) {
      exchange(channel, 1472);
      assertThat(changes(LinkChange.MTU)).isZero();
      mtu(1000);
      pollUntil("the change", () -> changes(LinkChange.MTU) == 1);
      for (int length : new int[] {972, 973, 1472, 5000}) {
        exchange(channel, length);
      }
      mtu(1500);
      pollUntil("the change back", () -> changes(LinkChange.MTU) == 2);
      exchange(channel, 1472);
      mtu(9000);
      pollUntil("too long", () -> changes(LinkChange.MTU) == 3);
      exchange(channel, 1472);
      int _ = channel.send(ByteBuffer.allocate(8000), new InetSocketAddress("10.9.0.2", 7));
      pollUntil("what is lost is counted", () -> stack().counters().lost() > 0);
    }
  }

  @Test
  void aLinkThatGoesDownAndAwayIsNoticed() throws Exception {
    link(1500, 1);
    open(true, 1);
    try (DatagramChannel channel = kernelChannel()) {
      exchange(channel, 10);
      String _ = room.run("ip link set dev vA down");
      pollUntil("down", () -> changes(LinkChange.DOWN) == 1);
      String _ = room.run("ip link set dev vA up");
      pollUntil("up", () -> changes(LinkChange.UP) >= 1);
      exchange(channel, 10);
      String _ = room.run("ip link del dev vA");
      pollUntil("gone", () -> changes(LinkChange.GONE) == 1);
      assertThat(port().isGone()).isTrue();
      for (int i = 0; i < 3000; i++) {
        boolean _ = stack().echo(KERNEL, i, new byte[100]);
        int _ = stack().poll();
        stack().tick();
      }
      assertThat(changes(LinkChange.GONE)).isEqualTo(1);
    }
  }

  @Test
  void aNewHardwareAddressIsFollowedAndAnnounced() throws Exception {
    link(1500, 1);
    open(true, 1);
    try (DatagramChannel channel = kernelChannel()) {
      exchange(channel, 10);
      String _ = room.run("ip link set dev vA address 02:00:00:00:00:77");
      pollUntil("the change", () -> changes(LinkChange.HARDWARE) == 1);
      pollUntil(
          "the kernel knows",
          () -> room.outside(() -> room.run("ip neigh show dev vB")).contains("00:00:77"));
      exchange(channel, 10);
    }
  }

  @Test
  void theKernelsAddressIsWatched() throws Exception {
    link(1500, 1);
    open(false, 1);
    String _ = room.run("ip addr del 10.9.0.2/24 dev vA");
    pollUntil("the change", () -> changes(LinkChange.ADDRESS) == 1);
  }

  @Test
  void aStationThatTellsItsNewAddressIsBelievedAtOnce() throws Exception {
    for (boolean owned : new boolean[] {true, false}) {
      link(1500, 1);
      open(owned, 1);
      there("sysctl -q -w net.ipv4.conf.vB.arp_notify=1");
      try (DatagramChannel channel = kernelChannel()) {
        exchange(channel, 10);
        there("ip link set dev vB address 02:00:00:00:00:99"); // the kernel announces it
        UdpSocket socket = stack().bind(1000, _ -> {});
        MemorySegment memory = Arena.ofAuto().allocate(100);
        int to = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        long start = System.nanoTime();
        ByteBuffer came = ByteBuffer.allocate(100);
        pollUntil(
            "a datagram to the new address",
            () -> {
              boolean _ = socket.send(memory, 50, 10, KERNEL, to);
              stack().flush();
              return channel.receive(came) != null;
            });
        assertThat(System.nanoTime() - start).isLessThan(30_000_000_000L);
      }
      stack().close();
      String _ = room.run("ip link del dev vA");
    }
  }

  @Test
  void queuesAreComparedWithThoseOfTheDevice() throws Exception {
    link(1500, 3);
    assertThatThrownBy(() -> XdpPort.open(new XdpConfig("vA", OURS, true, 4)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no 4 queues")
        .hasMessageContaining("Fix: queues=3");
    open(true, 0);
    for (int i = 0; i < 20; i++) {
      try (DatagramChannel channel = kernelChannel()) {
        exchange(channel, 500 + i);
      }
    }
  }

  @Test
  void aRecordedRouteDoesNoHarm() throws Exception {
    assumeTrue(NetRoom.isInstalled("ping"), "no ping: apt-get install iputils-ping");
    link(1500, 1);
    open(true, 1);
    Process ping = room.outside(() -> room.start("ping -n -R -c 5 -i 0.05 -W 10 10.9.0.2"));
    pollUntil("the end of ping", () -> !ping.isAlive());
    byte[] text = ping.getInputStream().readAllBytes();
    assertThat(new String(text, StandardCharsets.UTF_8)).contains("5 received");
    Process stamped =
        room.outside(() -> room.start("ping -n -T tsonly -c 5 -i 0.05 -W 10 10.9.0.2"));
    pollUntil("the end of ping", () -> !stamped.isAlive());
    text = stamped.getInputStream().readAllBytes();
    assertThat(new String(text, StandardCharsets.UTF_8)).contains("5 received");
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

  /// A datagram of one byte to port 7, with a tag, as a switch sends it that knows priorities.
  private static byte[] tagged(long to, int tag, int from, int fromPort) {
    byte[] frame = ethernet(to, 0x8100, 4 + 29 + 17);
    ByteBuffer packet = ByteBuffer.wrap(frame).position(14);
    packet.putShort((short) tag).putShort((short) 0x0800);
    packet.putShort((short) 0x4500).putShort((short) 29).putInt(0).put((byte) 64).put((byte) 17);
    packet.putShort((short) 0).putInt(from).putInt(OURS);
    packet.putShort((short) fromPort).putShort((short) 7).putShort((short) 9).putShort((short) 0);
    int sum = Checksum.finish(Checksum.sum(MemorySegment.ofArray(frame), 18, 20));
    return ByteBuffer.wrap(frame).putShort(28, (short) sum).put(46, (byte) 5).array();
  }

  @Test
  void framesWithAPriorityAreTakenAndThoseOfVlansAreNot() throws Exception {
    for (boolean owned : new boolean[] {true, false}) {
      link(1500, 1);
      open(owned, 1);
      try (DatagramChannel channel = kernelChannel();
          RawLink raw = room.outside(() -> new RawLink("vB"))) {
        exchange(channel, 1);
        long frames = stack().counters().frames();
        long datagrams = stack().counters().datagrams();
        long to = port().macAddress();
        int fromPort = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        for (int tag : new int[] {5, 0xe005, 0xe000}) {
          byte[] frame = tagged(to, tag, KERNEL, fromPort);
          long from = room.outside(() -> NetInterface.named("vB").macAddress());
          raw.send(
              ByteBuffer.wrap(frame)
                  .putShort(6, (short) (from >>> 32))
                  .putInt(8, (int) from)
                  .array());
        }
        ByteBuffer came = ByteBuffer.allocate(100);
        pollUntil("the reply to a tagged datagram", () -> channel.receive(came) != null);
        assertThat(came.flip().get()).isEqualTo((byte) 5);
        assertThat(stack().counters().datagrams()).isEqualTo(datagrams + 1);
        assertThat(stack().counters().frames())
            .as("the others were the kernel's")
            .isEqualTo(frames + 1);
      }
      stack().close();
      String _ = room.run("ip link del dev vA");
    }
  }

  @Test
  void anAddressThatAnotherStationDefendsIsGivenUp() throws Exception {
    link(1500, 1);
    there("ip addr add 10.9.0.2/24 dev vB"); // its kernel answers probes
    open(true, 1);
    pollUntil("the answer", () -> stack().counters().addressGivenUp() == 1);
    assertThat(stack().echo(KERNEL, 1, new byte[1])).isFalse();
  }

  @Test
  void anAddressIsDefendedAgainstALateStation() throws Exception {
    link(1500, 1);
    open(true, 1);
    try (DatagramChannel channel = kernelChannel();
        RawLink raw = room.outside(() -> new RawLink("vB"))) {
      exchange(channel, 1);
      long until = System.nanoTime() + 9_000_000_000L; // probes and announcements
      pollUntil("ten seconds", () -> System.nanoTime() - until > 0);
      raw.send(arp(0xffff_ffff_ffffL, 1, OURS, OURS));
      pollUntil("the conflict", () -> stack().counters().addressConflicts() == 1);
      raw.send(arp(port().macAddress(), 2, OURS, 0));
      pollUntil("a second one", () -> stack().counters().addressConflicts() == 2);
      assertThat(stack().counters().addressGivenUp()).isZero();
      exchange(channel, 1);
    }
  }
}
