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
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.UdpSocket;
import sluice.net.transport.PacketWorker;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Our stack on AF_XDP at one end of a veth pair, and the kernel's at the other, both ways.
@Timeout(300)
class XdpKernelIT {
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

  private XdpPort port() {
    return Objects.requireNonNull(port);
  }

  private void open(boolean owned, int queues) throws IOException {
    room.link("vA", "vB", queues);
    String _ = room.outside(() -> room.run("ip addr add 10.9.0.1/24 dev vB"));
    if (!owned) {
      String _ = room.run("ip addr add 10.9.0.2/24 dev vA");
    }
    XdpPort opened = XdpPort.open(new XdpConfig("vA", OURS, owned, queues));
    port = opened;
    StackConfig config = StackConfig.of(Ipv4Prefix.parse("10.9.0.2/24")).withOwnsAddress(owned);
    stack = new Ipv4Stack(opened, config, System::nanoTime, System.nanoTime());
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

  private UdpSocket echo(int number) throws IOException {
    UdpSocket socket = stack().bind(number, _ -> {});
    socket.receiver((memory, at, length, from, fromPort) -> {
      boolean _ = socket.send(memory, at, length, from, fromPort);
    });
    port().own(number);
    return socket;
  }

  private DatagramChannel kernelChannel() throws IOException {
    DatagramChannel channel = room.outside(() -> DatagramChannel.open());
    channel.bind(new InetSocketAddress("10.9.0.1", 0));
    channel.configureBlocking(false);
    return channel;
  }

  private void exchange(DatagramChannel channel, int number, int length) throws IOException {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    int _ = channel.send(ByteBuffer.wrap(data), new InetSocketAddress("10.9.0.2", number));
    ByteBuffer came = ByteBuffer.allocate(70_000);
    pollUntil("the reply of " + length, () -> channel.receive(came) != null);
    assertThat(Arrays.copyOf(came.array(), came.position())).isEqualTo(data);
  }

  private String await(Process process) throws Exception {
    pollUntil("the end of " + process.info(), () -> !process.isAlive());
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void anAddressOfOurOwnAnswersAllThatComes() throws Exception {
    assumeTrue(NetRoom.isInstalled("ping"), "no ping: apt-get install iputils-ping");
    open(true, 1);
    UdpSocket _ = echo(7);
    try (DatagramChannel channel = kernelChannel()) {
      for (int length : new int[] {0, 1, 1472, 1473, 9000, 65_507}) {
        exchange(channel, 7, length);
      }
    }
    for (int bytes : new int[] {56, 4000}) {
      String command = "ping -n -c 5 -i 0.05 -W 10 -s " + bytes + " 10.9.0.2";
      assertThat(await(room.outside(() -> room.start(command)))).contains("5 received");
    }
    boolean[] replied = new boolean[1];
    stack()
        .listen((from, word, memory, at, length) ->
            replied[0] = memory.get(ValueLayout.JAVA_BYTE, at) == 5 && length == 3000);
    byte[] data = new byte[3000];
    data[0] = 5;
    assertThat(stack().echo(KERNEL, 1, data)).isTrue();
    pollUntil("the kernel's reply", () -> replied[0]);
    assertThat(stack().counters().malformed() + stack().counters().badChecksums()).isZero();
    assertThat(port().lost()).isZero();
  }

  @Test
  void ofAnAddressOfTheKernelOwnedPortsAreOursAlone() throws Exception {
    open(false, 1);
    UdpSocket ours = echo(7);
    try (DatagramChannel channel = kernelChannel();
        DatagramChannel beside = DatagramChannel.open()) {
      beside.bind(new InetSocketAddress("10.9.0.2", 8));
      beside.configureBlocking(false);
      exchange(channel, 7, 100);
      exchange(channel, 7, 1472);
      long before = stack().counters().frames();
      int _ = channel.send(ByteBuffer.allocate(10), new InetSocketAddress("10.9.0.2", 8));
      pollUntil("the kernel's datagram", () -> beside.receive(ByteBuffer.allocate(20)) != null);
      if (NetRoom.isInstalled("ping")) {
        String command = "ping -n -c 2 -i 0.05 -W 10 -s 4000 10.9.0.2";
        assertThat(await(room.outside(() -> room.start(command)))).contains("2 received");
      }
      assertThat(stack().counters().frames()).as("none of it came here").isEqualTo(before);
      ours.close();
      port().disown(7);
      try (DatagramChannel after = DatagramChannel.open()) {
        after.bind(new InetSocketAddress("10.9.0.2", 7));
        after.configureBlocking(false);
        int _ = channel.send(ByteBuffer.allocate(10), new InetSocketAddress("10.9.0.2", 7));
        pollUntil("given back", () -> after.receive(ByteBuffer.allocate(20)) != null);
      }
    }
  }

  @Test
  void netcatIsAnswered() throws Exception {
    assumeTrue(NetRoom.isInstalled("nc"), "no nc: apt-get install netcat-openbsd");
    open(true, 1);
    UdpSocket _ = echo(7);
    Process nc = room.outside(() -> room.start("nc -u 10.9.0.2 7"));
    try (Writer to = nc.outputWriter(StandardCharsets.US_ASCII);
        BufferedReader from = nc.inputReader(StandardCharsets.US_ASCII)) {
      to.write("a line\n");
      to.flush();
      pollUntil("the line that comes back", from::ready);
      assertThat(from.readLine()).isEqualTo("a line");
    } finally {
      nc.destroyForcibly();
      int _ = Await.end(nc);
    }
  }

  @Test
  void severalQueuesAreOnePort() throws Exception {
    open(true, 3);
    UdpSocket _ = echo(7);
    for (int i = 0; i < 20; i++) {
      try (DatagramChannel channel = kernelChannel()) {
        exchange(channel, 7, 500 + i);
        exchange(channel, 7, 5000 + i);
      }
    }
  }

  @Test
  void aWorkerIsWokenByTheDriversInterrupt() throws Exception {
    open(true, 1);
    UdpSocket _ = echo(7);
    Ipv4Stack given = stack();
    stack = null;
    try (PacketWorker _ = PacketWorker.start(given);
        DatagramChannel channel = kernelChannel()) {
      for (int i = 0; i < 200; i++) {
        int _ = channel.send(ByteBuffer.allocate(i), new InetSocketAddress("10.9.0.2", 7));
        ByteBuffer came = ByteBuffer.allocate(1000);
        Await.until("the reply", () -> channel.receive(came) != null);
        assertThat(came.position()).isEqualTo(i);
      }
    }
    assertThat(room.run("ip link show vA")).as("closed").doesNotContain("xdp");
  }

  @Test
  void whatIsNotToBeHadIsRefusedWithTheReason() throws Exception {
    XdpConfig none = new XdpConfig("vX", OURS, true, 1);
    assertThatThrownBy(() -> XdpPort.open(none)).hasMessageContaining("ENODEV");
    XdpConfig lo = new XdpConfig("lo", OURS, true, 1);
    assertThatThrownBy(() -> XdpPort.open(lo)).hasMessageContaining("Fix: ");
    open(true, 1);
    assertThatThrownBy(() -> XdpPort.open(new XdpConfig("vA", OURS, true, 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("EBUSY")
        .hasMessageContaining("another socket of AF_XDP has this queue")
        .hasMessageContaining("Fix: ");
    assertThat(room.run("ip link show vA")).contains("xdp");
    stack().close();
    stack().close();
    assertThat(room.run("ip link show vA")).doesNotContain("xdp");
    XdpConfig many = new XdpConfig("vA", OURS, true, 2);
    assertThatThrownBy(() -> XdpPort.open(many)).hasMessageContaining("Fix: ");
    assertThat(room.run("ip link show vA")).doesNotContain("xdp");
    try (XdpPort again = XdpPort.open(new XdpConfig("vA", OURS, true, 1))) {
      assertThat(again.mode()).isEqualTo("copy, generic");
    }
  }
}
