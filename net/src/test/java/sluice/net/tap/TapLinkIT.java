package sluice.net.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
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

/// Tests TAP devices with long packets, and devices that are changed or deleted while our stack
/// uses them.
@Timeout(300)
class TapLinkIT {
  private LinkRig rig;

  @BeforeEach
  void enter() {
    rig = LinkRig.tap();
  }

  @AfterEach
  void leave() {
    if (rig != null) {
      rig.close();
    }
  }

  private void open() throws IOException {
    rig.openTap();
    UdpSocket _ = rig.echo(7);
  }

  @Test
  void theMtuMayChangeWhileItRuns() throws Exception {
    open();
    try (DatagramChannel channel = rig.channel()) {
      int changes = 0;
      for (int mtu : new int[] {1500, 9000, 9216, 1000, 576, 1500}) {
        String _ = rig.run("ip link set dev t0 mtu " + mtu);
        int expected = mtu == 1500 && changes == 0 ? 0 : ++changes;
        rig.pollUntil("the change", () -> rig.changes(LinkChange.MTU) == expected);
        for (int length : new int[] {1, mtu - 28, mtu - 27, 20_000}) {
          rig.exchange(channel, 7, length);
        }
      }
      assertThat(rig.stack().counters().lost()).isZero();
      String _ = rig.run("ip link set dev t0 mtu 20000");
      rig.pollUntil("the change", () -> rig.changes(LinkChange.MTU) == 6);
      int _ = channel.send(ByteBuffer.allocate(18_000), new InetSocketAddress("10.9.0.2", 7));
      rig.pollUntil("what is lost is counted", () -> rig.stack().counters().lost() == 1);
      rig.exchange(channel, 7, 1400);
    }
  }

  @Test
  void aDeviceWithPacketsThatAreTooLongIsRefusedWithTheFix() throws Exception {
    String _ = rig.run("ip tuntap add dev t0 mode tap");
    String _ = rig.run("ip link set dev t0 mtu 9217");
    assertThatThrownBy(() -> TapPort.open("t0"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the MTU of 9217 is above 9216")
        .hasMessageContaining("Fix: ip link set dev t0 mtu 9216");
    String _ = rig.run("ip link set dev t0 mtu 9216");
    TapPort.open("t0").close();
  }

  @Test
  void aDeviceThatGoesDownAndAwayIsNoticed() throws Exception {
    open();
    try (DatagramChannel channel = rig.channel()) {
      rig.exchange(channel, 7, 10);
      long downs = rig.changes(LinkChange.DOWN); // it was down at the start
      String _ = rig.run("ip link set dev t0 down");
      rig.pollUntil("down", () -> rig.changes(LinkChange.DOWN) == downs + 1);
      String _ = rig.run("ip link set dev t0 up");
      rig.exchange(channel, 7, 10);
      String _ = rig.run("ip link del dev t0");
      rig.pollUntil("gone", () -> rig.changes(LinkChange.GONE) == 1);
      assertThat(rig.stack().port().isGone()).isTrue();
      for (int i = 0; i < 3000; i++) {
        boolean _ = rig.stack().echo(LinkRig.KERNEL, i, new byte[100]);
        int _ = rig.stack().poll();
      }
      rig.stack().tick();
      assertThat(rig.changes(LinkChange.GONE)).isEqualTo(1);
    }
  }
}
