package sluice.net.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.net.LinkRig;
import sluice.net.stack.UdpSocket;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Tests traffic in both directions between our stack and the kernel's at the two ends of a TAP
/// device.
@Timeout(300)
class TapKernelIT {
  private LinkRig rig;
  @TempDir Path directory;

  @BeforeEach
  void enter() throws IOException {
    rig = LinkRig.tap();
    rig.openTap();
  }

  @AfterEach
  void leave() {
    if (rig != null) {
      rig.close();
    }
  }

  @Test
  void theKernelPingsUs() throws Exception {
    bePinged();
  }

  private void bePinged() throws Exception {
    long before = rig.stack().counters().reassembled();
    for (int bytes : new int[] {56, 4000, 60_000}) {
      rig.bePinged(5, "-s " + bytes);
    }
    assertThat(rig.stack().counters().echoes()).isGreaterThanOrEqualTo(15);
    assertThat(rig.stack().counters().reassembled() - before).isGreaterThanOrEqualTo(10);
    assertThat(rig.stack().counters().malformed()).isZero();
    assertThat(rig.stack().counters().badChecksums()).isZero();
  }

  @Test
  void wePingTheKernel() throws Exception {
    pingTheKernel();
  }

  private void pingTheKernel() throws Exception {
    List<Integer> lengths = new ArrayList<>();
    byte[] data = new byte[4000];
    new Random(1).nextBytes(data);
    rig.stack()
        .listen((from, word, memory, at, length) -> {
          byte[] came = memory.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
          assertThat(came).isEqualTo(Arrays.copyOf(data, length));
          lengths.add(length);
        });
    for (int bytes : new int[] {0, 56, 4000}) {
      // not all zeros: the kernel then writes a checksum of 0 instead of 0xffff, which is wrong
      assertThat(rig.stack().echo(LinkRig.KERNEL, 1 + bytes, Arrays.copyOf(data, bytes))).isTrue();
      int count = lengths.size();
      rig.pollUntil("a reply", () -> lengths.size() > count);
    }
    assertThat(lengths).containsExactly(0, 56, 4000);
  }

  @Test
  void datagramsOfTheKernelAreAnswered() throws Exception {
    answerDatagrams();
  }

  private void answerDatagrams() throws Exception {
    UdpSocket _ = rig.echo(7);
    try (DatagramChannel channel = rig.channel()) {
      for (int length : new int[] {0, 1, 1472, 1473, 9000, 65_507}) {
        rig.exchange(channel, 7, length);
      }
    }
  }

  @Test
  void aClosedPortOfOursIsAnErrorThere() throws Exception {
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(new InetSocketAddress("10.9.0.2", 9));
      channel.configureBlocking(false);
      int _ = channel.write(ByteBuffer.wrap(new byte[5]));
      rig.pollUntil(
          "the error",
          () -> {
            try {
              return channel.read(ByteBuffer.allocate(10)) > 0;
            } catch (PortUnreachableException e) {
              return true;
            }
          });
    }
    UdpSocket socket = rig.stack().bind(0, _ -> {});
    var bytes = Arena.ofAuto().allocate(100);
    assertThat(socket.send(bytes, 50, 10, LinkRig.KERNEL, 9)).isTrue();
    rig.pollUntil("the kernel's error", () -> rig.stack().counters().icmpErrorsReceived() == 1);
  }

  @Test
  void tsharkFindsNothingMalformed() throws Exception {
    assumeTrue(NetRoom.isInstalled("tshark"), "no tshark: apt-get install tshark");
    Path file = directory.resolve("t0.pcapng");
    Process capture = rig.start("tshark -q -i t0 -w " + file);
    try {
      rig.pollUntil("the capture", () -> Files.exists(file) && Files.size(file) > 0);
      answerDatagrams();
      pingTheKernel();
      bePinged();
      long[] size = new long[1];
      rig.pollUntil(
          "what was captured",
          () -> {
            long before = size[0];
            size[0] = Files.size(file);
            return size[0] > 600_000 && before == size[0];
          });
    } finally {
      capture.destroy();
      int _ = Await.end(capture);
    }
    String wrong =
        rig.run(
            "tshark -r "
                + file
                + " -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -Y"
                + " _ws.malformed||ip.checksum.status==0||udp.checksum.status==0"
                + "||icmp.checksum.status==0||_ws.expert.severity>=6291456");
    assertThat(wrong.lines().filter(line -> !line.startsWith("Running as user"))).isEmpty();
    String all = rig.run("tshark -r " + file + " -Y icmp||udp||arp");
    assertThat(all.lines().count()).isGreaterThan(20);
  }

  @Test
  void aDeviceThatIsInUseIsRefusedWithTheReason() {
    assertThatThrownBy(() -> TapPort.open("t0"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("EBUSY")
        .hasMessageContaining("Why: another process has the TAP device open")
        .hasMessageContaining("Fix: ");
    assertThatThrownBy(() -> TapPort.open("a/b")).isInstanceOf(IllegalArgumentException.class);
  }
}
