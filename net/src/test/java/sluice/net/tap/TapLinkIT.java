package sluice.net.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
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
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// TAP devices with long packets, and such as are changed or deleted under our stack.
@Timeout(300)
class TapLinkIT {
  private NetRoom room;
  private @Nullable Ipv4Stack stack;

  @BeforeEach
  void enter() {
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
  }

  private Ipv4Stack open() throws IOException {
    StackConfig config = StackConfig.of(Ipv4Prefix.parse("10.8.0.2/24"));
    Ipv4Stack made = new Ipv4Stack(TapPort.open("t0"), config, System::nanoTime, System.nanoTime());
    stack = made;
    String _ = room.run("ip addr add 10.8.0.1/24 dev t0");
    String _ = room.run("ip link set t0 up");
    UdpSocket socket = made.bind(7, _ -> {});
    socket.receiver((memory, at, length, from, fromPort) -> {
      boolean _ = socket.send(memory, at, length, from, fromPort);
    });
    return made;
  }

  private static void pollUntil(Ipv4Stack stack, String what, Await.Condition<IOException> done)
      throws IOException {
    Await.until(
        what,
        () -> {
          int _ = stack.poll();
          stack.tick();
          return done.holds();
        });
  }

  private static void exchange(Ipv4Stack stack, DatagramChannel channel, int length)
      throws IOException {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    int _ = channel.send(ByteBuffer.wrap(data), new InetSocketAddress("10.8.0.2", 7));
    ByteBuffer came = ByteBuffer.allocate(70_000);
    pollUntil(stack, "the reply of " + length, () -> channel.receive(came) != null);
    assertThat(Arrays.copyOf(came.array(), came.position())).isEqualTo(data);
  }

  private static DatagramChannel channel() throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.bind(new InetSocketAddress("10.8.0.1", 0));
    channel.configureBlocking(false);
    return channel;
  }

  @Test
  void theMtuMayChangeWhileItRuns() throws Exception {
    Ipv4Stack stack = open();
    try (DatagramChannel channel = channel()) {
      int changes = 0;
      for (int mtu : new int[] {1500, 9000, 9216, 1000, 576, 1500}) {
        String _ = room.run("ip link set dev t0 mtu " + mtu);
        int expected = mtu == 1500 && changes == 0 ? 0 : ++changes;
        pollUntil(stack, "the change", () -> stack.counters().changes(LinkChange.MTU) == expected);
        for (int length : new int[] {1, mtu - 28, mtu - 27, 20_000}) {
          exchange(stack, channel, length);
        }
      }
      assertThat(stack.counters().lost()).isZero();
      String _ = room.run("ip link set dev t0 mtu 20000");
      pollUntil(stack, "the change", () -> stack.counters().changes(LinkChange.MTU) == 6);
      int _ = channel.send(ByteBuffer.allocate(18_000), new InetSocketAddress("10.8.0.2", 7));
      pollUntil(stack, "what is lost is counted", () -> stack.counters().lost() == 1);
      exchange(stack, channel, 1400);
    }
  }

  @Test
  void aDeviceWithPacketsThatAreTooLongIsRefusedWithTheFix() throws Exception {
    String _ = room.run("ip tuntap add dev t0 mode tap");
    String _ = room.run("ip link set dev t0 mtu 9217");
    assertThatThrownBy(() -> TapPort.open("t0"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the MTU of 9217 is above 9216")
        .hasMessageContaining("Fix: ip link set dev t0 mtu 9216");
    String _ = room.run("ip link set dev t0 mtu 9216");
    TapPort.open("t0").close();
  }

  @Test
  void aDeviceThatGoesDownAndAwayIsNoticed() throws Exception {
    Ipv4Stack stack = open();
    try (DatagramChannel channel = channel()) {
      exchange(stack, channel, 10);
      long downs = stack.counters().changes(LinkChange.DOWN); // it was down at the start
      String _ = room.run("ip link set dev t0 down");
      pollUntil(stack, "down", () -> stack.counters().changes(LinkChange.DOWN) == downs + 1);
      String _ = room.run("ip link set dev t0 up");
      exchange(stack, channel, 10);
      String _ = room.run("ip link del dev t0");
      pollUntil(stack, "gone", () -> stack.counters().changes(LinkChange.GONE) == 1);
      assertThat(stack.port().isGone()).isTrue();
      for (int i = 0; i < 3000; i++) {
        boolean _ = stack.echo(Ipv4Prefix.parseAddress("10.8.0.1"), i, new byte[100]);
        int _ = stack.poll();
      }
      stack.tick();
      assertThat(stack.counters().changes(LinkChange.GONE)).isEqualTo(1);
    }
  }
}
