package sluice.net.xdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.net.LinkRig;
import sluice.net.stack.UdpSocket;
import sluice.net.transport.PacketWorker;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Tests traffic in both directions between our stack on AF_XDP at one end of a veth pair and the
/// kernel's stack at the other.
@Timeout(300)
class XdpKernelIT {
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
    rig.link(1500, queues);
    XdpPort port = rig.openXdp(owned, queues);
    UdpSocket _ = rig.echo(7);
    port.own(7);
    return port;
  }

  @Test
  void anAddressOfOurOwnAnswersAllThatComes() throws Exception {
    XdpPort port = open(true, 1);
    try (DatagramChannel channel = rig.channel()) {
      for (int length : new int[] {0, 1, 1472, 1473, 9000, 65_507}) {
        rig.exchange(channel, 7, length);
      }
    }
    for (int bytes : new int[] {56, 4000}) {
      rig.bePinged(5, "-s " + bytes);
    }
    boolean[] replied = new boolean[1];
    rig.stack()
        .listen((from, word, memory, at, length) ->
            replied[0] = memory.get(ValueLayout.JAVA_BYTE, at) == 5 && length == 3000);
    byte[] data = new byte[3000];
    data[0] = 5;
    assertThat(rig.stack().echo(LinkRig.KERNEL, 1, data)).isTrue();
    rig.pollUntil("the kernel's reply", () -> replied[0]);
    assertThat(rig.stack().counters().malformed() + rig.stack().counters().badChecksums()).isZero();
    assertThat(port.lost()).isZero();
  }

  @Test
  void ofAnAddressOfTheKernelOwnedPortsAreOursAlone() throws Exception {
    rig.link(1500, 1);
    XdpPort port = rig.openXdp(false, 1);
    UdpSocket ours = rig.echo(7);
    port.own(7);
    try (DatagramChannel channel = rig.channel();
        DatagramChannel beside = DatagramChannel.open()) {
      beside.bind(new InetSocketAddress("10.9.0.2", 8));
      beside.configureBlocking(false);
      rig.exchange(channel, 7, 100);
      rig.exchange(channel, 7, 1472);
      long before = rig.stack().counters().frames();
      int _ = channel.send(ByteBuffer.allocate(10), new InetSocketAddress("10.9.0.2", 8));
      rig.pollUntil("the kernel's datagram", () -> beside.receive(ByteBuffer.allocate(20)) != null);
      if (NetRoom.isInstalled("ping")) {
        rig.bePinged(2, "-s 4000");
      }
      assertThat(rig.stack().counters().frames()).as("none of it came here").isEqualTo(before);
      ours.close();
      port.disown(7);
      try (DatagramChannel after = DatagramChannel.open()) {
        after.bind(new InetSocketAddress("10.9.0.2", 7));
        after.configureBlocking(false);
        int _ = channel.send(ByteBuffer.allocate(10), new InetSocketAddress("10.9.0.2", 7));
        rig.pollUntil("given back", () -> after.receive(ByteBuffer.allocate(20)) != null);
      }
    }
  }

  @Test
  void netcatIsAnswered() throws Exception {
    assumeTrue(NetRoom.isInstalled("nc"), "no nc: apt-get install netcat-openbsd");
    XdpPort _ = open(true, 1);
    Process nc = rig.start("nc -u 10.9.0.2 7");
    try (Writer to = nc.outputWriter(StandardCharsets.US_ASCII);
        BufferedReader from = nc.inputReader(StandardCharsets.US_ASCII)) {
      to.write("a line\n");
      to.flush();
      rig.pollUntil("the line that comes back", from::ready);
      assertThat(from.readLine()).isEqualTo("a line");
    } finally {
      nc.destroyForcibly();
      int _ = Await.end(nc);
    }
  }

  @Test
  void severalQueuesAreOnePort() throws Exception {
    XdpPort _ = open(true, 3);
    for (int i = 0; i < 20; i++) {
      try (DatagramChannel channel = rig.channel()) {
        rig.exchange(channel, 7, 500 + i);
        rig.exchange(channel, 7, 5000 + i);
      }
    }
  }

  @Test
  void aWorkerIsWokenByTheDriversInterrupt(@TempDir Path directory) throws Exception {
    XdpPort _ = open(true, 1);
    try (PacketWorker worker = PacketWorker.start(rig.giveStack());
        Counters counters = Counters.open(directory, 100);
        DatagramChannel channel = rig.channel()) {
      CounterPublisher publisher = new CounterPublisher(counters);
      worker.publishTo(publisher);
      assertThat(publisher.snapshot().values())
          .extracting(CounterValue::label)
          .containsExactly("handler interrupts of xdp:vA/handler_bound_bytecodes");
      for (int i = 0; i < 200; i++) {
        int _ = channel.send(ByteBuffer.allocate(i), new InetSocketAddress("10.9.0.2", 7));
        ByteBuffer came = ByteBuffer.allocate(1000);
        Await.until("the reply", () -> channel.receive(came) != null);
        assertThat(came.position()).isEqualTo(i);
      }
    }
    assertThat(rig.run("ip link show vA")).as("closed").doesNotContain("xdp");
  }

  @Test
  void whatIsNotToBeHadIsRefusedWithTheReason() throws Exception {
    XdpConfig none = new XdpConfig("vX", LinkRig.OURS, true, 1);
    assertThatThrownBy(() -> XdpPort.open(none)).hasMessageContaining("ENODEV");
    XdpConfig lo = new XdpConfig("lo", LinkRig.OURS, true, 1);
    assertThatThrownBy(() -> XdpPort.open(lo)).hasMessageContaining("Fix: ");
    XdpPort _ = open(true, 1);
    assertThatThrownBy(() -> XdpPort.open(new XdpConfig("vA", LinkRig.OURS, true, 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("EBUSY")
        .hasMessageContaining("another socket of AF_XDP has this queue")
        .hasMessageContaining("Fix: ");
    assertThat(rig.run("ip link show vA")).contains("xdp");
    rig.stack().close();
    rig.stack().close();
    assertThat(rig.run("ip link show vA")).doesNotContain("xdp");
    XdpConfig many = new XdpConfig("vA", LinkRig.OURS, true, 2);
    assertThatThrownBy(() -> XdpPort.open(many)).hasMessageContaining("Fix: ");
    assertThat(rig.run("ip link show vA")).doesNotContain("xdp");
    try (XdpPort again = XdpPort.open(new XdpConfig("vA", LinkRig.OURS, true, 1))) {
      assertThat(again.mode()).isEqualTo("copy, generic");
    }
  }
}
