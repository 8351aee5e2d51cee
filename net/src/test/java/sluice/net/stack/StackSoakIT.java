package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.port.PacketPort;
import sluice.net.tap.TapPort;
import sluice.net.xdp.XdpConfig;
import sluice.net.xdp.XdpPort;
import sluice.testbase.Await;
import sluice.testbase.Slice;
import sluice.testkit.NetRoom;

/// Exchanges datagrams with a stack for a long time: 24 minutes in all, half of them on each
/// driver; `SLUICE_SLICE` selects a part. Datagrams of all lengths, fragmented ones included, must
/// come back whole, and nothing may be held at the end.
@Tag("acceptance")
@Timeout(3600)
@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^4]",
    disabledReason =
        "in continuous integration the network stack answers for long on one day of seven")
class StackSoakIT {
  private static final long SECONDS = Slice.current().share(24 * 60) / 2;

  /// The number of datagrams in flight at a time.
  private static final int WINDOW = 8;

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  void tap() throws IOException {
    try (NetRoom room = NetRoom.enter("ip")) {
      TapPort port = TapPort.open("t0");
      String _ = room.run("ip addr add 10.9.0.1/24 dev t0");
      String _ = room.run("ip link set t0 up");
      try (DatagramChannel peer = DatagramChannel.open()) {
        soak(port, peer);
      }
    }
  }

  @Test
  void xdp() throws IOException {
    try (NetRoom _ = NetRoom.enter("ip");
        NetRoom room = NetRoom.enter("ip")) {
      room.link("vA", "vB", 1);
      String _ = room.outside(() -> room.run("ip addr add 10.9.0.1/24 dev vB"));
      int address = Ipv4Prefix.parseAddress("10.9.0.2");
      XdpPort port = XdpPort.open(new XdpConfig("vA", address, true, 1));
      try (DatagramChannel peer = room.outside(() -> DatagramChannel.open())) {
        soak(port, peer);
      }
    }
  }

  private void soak(PacketPort port, DatagramChannel peer) throws IOException {
    StackConfig config = StackConfig.of(Ipv4Prefix.parse("10.9.0.2/24"));
    try (Ipv4Stack stack = new Ipv4Stack(port, config, System::nanoTime, seed)) {
      UdpSocket echo = stack.bind(7, _ -> {});
      echo.receiver((memory, at, length, from, fromPort) -> {
        boolean _ = echo.send(memory, at, length, from, fromPort);
      });
      peer.bind(new InetSocketAddress("10.9.0.1", 0));
      peer.connect(new InetSocketAddress("10.9.0.2", 7));
      peer.configureBlocking(false);
      long answered = exchange(stack, peer);
      StackCounters counters = stack.counters();
      assertThat(answered).as("seed %d", seed).isGreaterThan(SECONDS * 100);
      assertThat(counters.malformed()).isZero();
      assertThat(counters.badChecksums()).isZero();
      assertThat(counters.fragmentsRefused()).isZero();
      awaitQuiet(stack);
    }
  }

  /// Exchanges datagrams and returns how many came back, each one whole.
  private long exchange(Ipv4Stack stack, DatagramChannel peer) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(70_000);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long heard = System.nanoTime();
    long answered = 0;
    int underWay = 0;
    while (System.nanoTime() - end < 0) {
      while (underWay < WINDOW) {
        underWay += peer.write(message()) > 0 ? 1 : 0;
        int _ = stack.poll();
      }
      int _ = stack.poll();
      buffer.clear();
      while (peer.read(buffer) > 0) {
        assertWhole(buffer.flip());
        buffer.clear();
        answered++;
        underWay--;
        heard = System.nanoTime();
      }
      if (System.nanoTime() - heard > TimeUnit.SECONDS.toNanos(1)) {
        underWay = 0; // the datagrams in flight were lost
        heard = System.nanoTime();
      }
      if (answered % 64 == 0) {
        stack.tick();
      }
    }
    return answered;
  }

  /// Returns a message of random length whose bytes all equal the first one.
  private ByteBuffer message() {
    int length = 1 + (random.nextInt(8) == 0 ? random.nextInt(30_000) : random.nextInt(1472));
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) random.nextInt());
    return ByteBuffer.wrap(bytes);
  }

  private void assertWhole(ByteBuffer message) {
    byte first = message.get(0);
    for (int i = 1; i < message.limit(); i++) {
      if (message.get(i) != first) {
        throw new AssertionError("seed " + seed + ": another byte at " + i);
      }
    }
  }

  private void awaitQuiet(Ipv4Stack stack) {
    Await.until(
        "nothing is kept",
        () -> {
          int _ = stack.poll();
          stack.tick();
          return stack.held() == 0;
        });
  }
}
