package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;

/// Tests a stack whose address is used, or claimed, by another station too (RFC 5227).
@Timeout(60)
class AddressClaimTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int LEFT = StackRig.address("10.0.0.1");
  private static final int RIGHT = StackRig.address("10.0.0.2");
  private static final int REQUEST = 1;
  private static final int REPLY = 2;

  private final StackRig rig = new StackRig();

  /// The ARP packets that the right stack has sent: operation, sender and target.
  private final List<String> said = new ArrayList<>();

  @AfterEach
  void close() {
    rig.close();
  }

  private void listen() {
    rig.wire.tap(frame -> {
      if (frame[12] == 8 && frame[13] == 6 && frame[11] == 2) {
        ByteBuffer arp = ByteBuffer.wrap(frame);
        said.add(
            arp.getShort(20)
                + " "
                + Ipv4Prefix.text(arp.getInt(28))
                + " "
                + Ipv4Prefix.text(arp.getInt(38)));
      }
    });
  }

  private void pass(long nanos) {
    for (long passed = 0; passed < nanos; passed += SECOND / 4) {
      rig.wire.advance(SECOND / 4);
      rig.left.tick();
      rig.right.tick();
      rig.run(3);
    }
  }

  private static byte[] arp(int operation, long mac, int sender, int target) {
    ByteBuffer frame = ByteBuffer.allocate(42);
    frame.put(new byte[] {-1, -1, -1, -1, -1, -1});
    frame.putShort((short) (mac >>> 32)).putInt((int) mac).putShort((short) 0x0806);
    frame.putShort((short) 1).putShort((short) 0x0800).putShort((short) 0x0604);
    frame.putShort((short) operation).putShort((short) (mac >>> 32)).putInt((int) mac);
    return frame.putInt(sender).putShort((short) 0).putInt(0).putInt(target).array();
  }

  private void come(byte[] frame) {
    rig.rightPort.arrive(frame);
    rig.run(3);
  }

  private boolean works() throws IOException {
    List<StackRig.Got> got = StackRig.list();
    UdpSocket from = rig.left.bind(0, _ -> {});
    try (UdpSocket to = StackRig.collect(rig.right, 53, got)) {
      boolean _ = rig.send(from, new byte[1], RIGHT, to.port());
      rig.left.flush();
      rig.run(10);
      return !got.isEmpty() && rig.send(to, new byte[1], LEFT, from.port());
    } finally {
      from.close();
    }
  }

  @Test
  void anAddressIsUsedAtOnceAndProbedMeanwhile() throws IOException {
    assertThat(works()).isTrue();
    listen();
    pass(10 * SECOND);
    assertThat(said)
        .containsExactly(
            "1 0.0.0.0 10.0.0.2",
            "1 0.0.0.0 10.0.0.2",
            "1 0.0.0.0 10.0.0.2",
            "1 10.0.0.2 10.0.0.2",
            "1 10.0.0.2 10.0.0.2");
    assertThat(rig.right.counters().addressConflicts()).isZero();
  }

  @Test
  void anAddressThatIsDefendedIsGivenUp() throws IOException {
    rig.right.tick();
    come(arp(REPLY, 0x0200_0000_0009L, RIGHT, 0));
    assertThat(rig.right.counters().addressConflicts()).isEqualTo(1);
    assertThat(rig.right.counters().addressGivenUp()).isEqualTo(1);
    listen();
    assertThat(works()).isFalse();
    assertThat(rig.right.echo(LEFT, 0, new byte[1])).isFalse();
    come(arp(REQUEST, 0x0200_0000_0001L, LEFT, RIGHT));
    come(arp(REPLY, 0x0200_0000_0009L, RIGHT, 0));
    pass(30 * SECOND);
    assertThat(said).as("nothing is asked, told or answered").isEmpty();
    assertThat(rig.right.counters().addressGivenUp()).isEqualTo(1);
    rig.assertNothingIsKept();
  }

  @Test
  void whatWaitsIsDroppedWithTheAddress() throws IOException {
    UdpSocket from = rig.right.bind(0, _ -> {});
    assertThat(rig.send(from, new byte[1], StackRig.address("10.0.0.7"), 1)).isTrue();
    assertThat(rig.right.held()).isEqualTo(1);
    come(arp(REQUEST, 0x0200_0000_0009L, RIGHT, RIGHT));
    assertThat(rig.right.held()).isZero();
    rig.assertNothingIsKept();
  }

  @Test
  void anAddressInUseIsDefendedOnceInTenSeconds() throws IOException {
    pass(10 * SECOND);
    listen();
    for (int i = 0; i < 40; i++) {
      come(arp(REQUEST, 0x0200_0000_0009L, RIGHT, LEFT));
      pass(SECOND / 4);
    }
    assertThat(said).containsExactly("1 10.0.0.2 10.0.0.2");
    pass(SECOND);
    come(arp(REQUEST, 0x0200_0000_0009L, RIGHT, LEFT));
    assertThat(said).hasSize(2);
    assertThat(rig.right.counters().addressConflicts()).isEqualTo(41);
    assertThat(rig.right.counters().addressGivenUp()).isZero();
    assertThat(works()).isTrue();
  }

  @Test
  void twoStacksWithOneAddressDoNotBothKeepIt() {
    SimWire.Station port = rig.wire.attach(StackRig.MTU);
    StackConfig config = StackConfig.of(Ipv4Prefix.parse("10.0.0.2/24"));
    pass(10 * SECOND);
    Ipv4Stack late = new Ipv4Stack(port, config, rig.wire, 1);
    late.tick();
    for (int i = 0; i < 4; i++) {
      rig.wire.run(3, rig.left, rig.right, late);
    }
    assertThat(late.counters().addressGivenUp()).isEqualTo(1);
    assertThat(rig.right.counters().addressGivenUp()).isZero();
    late.close();
  }

  @Test
  void ourOwnHardwareAddressIsNoneOfAnotherStation() throws IOException {
    long own = rig.rightPort.macAddress();
    come(arp(REPLY, own, RIGHT, 0));
    assertThat(rig.right.counters().addressConflicts()).as("a reflected frame").isZero();
    assertThat(works()).isTrue();
    long refused = rig.right.counters().refused();
    come(arp(REPLY, own, LEFT, RIGHT));
    come(arp(REQUEST, own, LEFT, RIGHT));
    come(arp(REPLY, 0, LEFT, RIGHT));
    assertThat(rig.right.counters().refused()).isEqualTo(refused + 3);
    assertThat(works()).isTrue();
    rig.right.flush();
    long[] toLeft = new long[1];
    rig.wire.tap(frame -> toLeft[0] += frame[5] == 1 ? 1 : 0);
    assertThat(rig.right.echo(LEFT, 0, new byte[1])).isTrue();
    rig.right.flush();
    assertThat(toLeft[0]).as("frames still go to left").isEqualTo(1);
  }

  @Test
  void anAnnouncedHardwareAddressIsUsedAtOnce() throws IOException {
    assertThat(works()).isTrue();
    come(arp(REQUEST, 0x0200_0000_0042L, LEFT, LEFT));
    int[] to = new int[1];
    rig.wire.tap(frame -> to[0] = frame[5]);
    assertThat(rig.right.echo(LEFT, 0, new byte[1])).isTrue();
    rig.right.flush();
    assertThat(to[0]).isEqualTo(0x42);
    come(arp(REQUEST, 0x0200_0000_0043L, StackRig.address("10.0.0.77"), 0x0a00004d));
    assertThat(rig.right.held()).as("strangers are not remembered").isZero();
  }
}
