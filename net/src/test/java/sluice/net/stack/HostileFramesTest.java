package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sends frames with wrong headers, and fragments that contradict each other.
@Timeout(60)
class HostileFramesTest {
  private static final int UDP = 17;

  private final StackRig rig = new StackRig();
  private final List<StackRig.Got> got = StackRig.list();

  @BeforeEach
  void listen() throws IOException {
    UdpSocket _ = StackRig.collect(rig.right, 7, got);
  }

  @AfterEach
  void close() {
    rig.assertNothingIsKept();
    rig.close();
  }

  private void come(byte[]... frames) {
    for (byte[] frame : frames) {
      rig.rightPort.arrive(frame);
    }
    rig.run(1);
  }

  private static byte[] part(byte[] all, int from, int to) {
    return Arrays.copyOfRange(all, from, to);
  }

  private static byte[] fragment(byte[] all, int from, int to) {
    return Frames.fragment(UDP, 9, from, to < all.length, part(all, from, to));
  }

  private static byte[] datagram(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) i;
    }
    return Frames.datagram(data);
  }

  @Test
  void fragmentsInAnyOrderMakeOneDatagram() {
    byte[] all = datagram(100);
    come(fragment(all, 80, 108), fragment(all, 0, 40), fragment(all, 40, 80));
    assertThat(got).hasSize(1);
    assertThat(got.getFirst().bytes()).isEqualTo(part(all, 8, 108));
  }

  @Test
  void aRepeatedFragmentChangesNothing() {
    byte[] all = datagram(100);
    byte[] other = fragment(all, 0, 40);
    Arrays.fill(other, 50, 60, (byte) -1);
    come(fragment(all, 0, 40), fragment(all, 0, 40), other, fragment(all, 40, 80));
    come(fragment(all, 40, 80), fragment(all, 80, 108));
    assertThat(got).hasSize(1);
    assertThat(got.getFirst().bytes()).as("first bytes stay").isEqualTo(part(all, 8, 108));
  }

  @Test
  void fragmentsThatOverlapAreRefusedWithTheirPacket() {
    byte[] all = datagram(100);
    come(fragment(all, 0, 40), fragment(all, 32, 80), fragment(all, 40, 80));
    come(fragment(all, 80, 108), fragment(all, 0, 40));
    assertThat(got).isEmpty();
    assertThat(rig.right.counters().fragmentsRefused()).isEqualTo(4);
    rig.wire.advance(Reassembly.LIFETIME_NANOS);
    rig.right.tick();
    come(fragment(all, 0, 40), fragment(all, 40, 80), fragment(all, 80, 108));
    assertThat(got).as("the number is good again").hasSize(1);
  }

  @Test
  void twoEndsAreRefused() {
    byte[] all = datagram(100);
    byte[] shortened = Frames.fragment(UDP, 9, 80, false, part(all, 80, 96));
    come(fragment(all, 80, 108), shortened, fragment(all, 0, 80));
    assertThat(got).isEmpty();
    assertThat(rig.right.counters().fragmentsRefused()).isEqualTo(2);
  }

  @Test
  void bytesBehindTheEndAreRefused() {
    byte[] all = datagram(100);
    come(Frames.fragment(UDP, 9, 200, true, new byte[8]), fragment(all, 80, 108));
    come(Frames.fragment(UDP, 10, 80, false, new byte[8]));
    come(Frames.fragment(UDP, 10, 88, true, new byte[8]));
    assertThat(rig.right.counters().fragmentsRefused()).isEqualTo(2);
  }

  @Test
  void aPacketLongerThanAnyIsRefused() {
    come(Frames.fragment(UDP, 9, 65_512, false, new byte[100]));
    come(Frames.fragment(UDP, 10, 8, true, new byte[7]));
    come(Frames.fragment(UDP, 11, 8, true, new byte[0]));
    assertThat(rig.right.counters().fragmentsRefused()).isEqualTo(3);
  }

  @Test
  void unfinishedPacketsAreBoundedAndExpire() {
    for (int id = 0; id < 500; id++) {
      come(Frames.fragment(UDP, id, 0, true, new byte[8]));
    }
    assertThat(rig.right.held()).as("a quarter for one sender").isEqualTo(4);
    assertThat(rig.right.counters().reassembliesLost()).isEqualTo(496);
    rig.wire.advance(Reassembly.LIFETIME_NANOS);
    rig.right.tick();
    assertThat(rig.right.held()).isZero();
  }

  @Test
  void optionsAreSkippedUnlessTheyRouteOrLie() {
    byte[] data = Frames.datagram(new byte[] {5});
    byte[] timestamp = {68, 4, 5, 0};
    byte[] padded = {1, 1, 1, 0};
    byte[] loose = {(byte) 131, 3, 4, 0};
    byte[] strict = {(byte) 137, 3, 4, 0};
    byte[] endless = {7, 9, 0, 0};
    byte[] empty = {7, 0, 0, 0};
    byte[] cut = {1, 1, 1, 7};
    for (byte[] good : new byte[][] {timestamp, padded, new byte[40]}) {
      come(Frames.packet(UDP, 1, 0, good, data));
    }
    assertThat(got).hasSize(3);
    for (byte[] bad : new byte[][] {loose, strict, endless, empty, cut}) {
      come(Frames.packet(UDP, 1, 0, bad, data));
    }
    assertThat(got).hasSize(3);
  }

  /// Sends options that ask to record a route or a timestamp. Their pointers are not followed,
  /// wherever they point.
  @Test
  void aRouteThatIsToBeRecordedIsNot() {
    byte[] data = Frames.datagram(new byte[] {5});
    int good = 0;
    for (int type : new int[] {7, 68, 130, 134, 136, 148, 82, 25, 94}) {
      for (int pointer : new int[] {0, 1, 3, 4, 5, 38, 39, 40, 127, 128, 255}) {
        byte[] options = new byte[40];
        Arrays.fill(options, (byte) 0xff);
        options[0] = (byte) type;
        options[1] = 39;
        options[2] = (byte) pointer;
        options[3] = (byte) pointer;
        options[39] = 0;
        byte[] frame = Frames.packet(UDP, good, 0, options, data);
        come(frame, Frames.fragment(UDP, good + 1000, 0, true, new byte[8]));
        good++;
        assertThat(got).hasSize(good);
        assertThat(got.getLast().bytes()).containsExactly(5);
      }
    }
    assertThat(rig.right.counters().refused()).isZero();
  }

  @Test
  void noOptionsAreReadBehindTheHeader() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] data = Frames.datagram(new byte[] {5});
    for (int i = 0; i < 20_000; i++) {
      byte[] options = new byte[4 * random.nextInt(11)];
      random.nextBytes(options);
      for (int j = 0; j + 1 < options.length && random.nextBoolean(); j++) {
        options[j] = (byte) (random.nextBoolean() ? random.nextInt(12) : 1);
      }
      boolean harmless = isHarmless(options);
      int before = got.size();
      come(Frames.packet(UDP, i, 0, options, data));
      assertThat(got.size() - before).as("seed %d, %d", seed, i).isEqualTo(harmless ? 1 : 0);
      got.clear();
    }
  }

  /// Returns true if the options are acceptable by RFC 791. This is a simple second implementation.
  private static boolean isHarmless(byte[] options) {
    int i = 0;
    while (i < options.length && options[i] != 0) {
      int type = options[i] & 0xff;
      if (type == 1) {
        i++;
        continue;
      }
      int length = i + 1 < options.length ? options[i + 1] & 0xff : 0;
      if (type == 131 || type == 137 || length < 2 || i + length > options.length) {
        return false;
      }
      i += length;
    }
    return true;
  }

  @Test
  void aTagThatSaysAPriorityIsSkipped() {
    byte[] frame = Frames.packet(UDP, 1, 0, new byte[0], Frames.datagram(new byte[] {5}));
    for (int tag : new int[] {0, 0x2000, 0xe000, 0x1000, 0xf000}) {
      come(tagged(frame, 0x8100, tag));
    }
    assertThat(got).hasSize(5);
    come(tagged(frame, 0x8100, 5), tagged(frame, 0x8100, 0xe001), tagged(frame, 0x88a8, 0));
    come(tagged(tagged(frame, 0x8100, 0), 0x8100, 0));
    assertThat(got).hasSize(5);
    byte[] whole = tagged(frame, 0x8100, 0);
    for (int length = 12; length < whole.length; length++) {
      come(Arrays.copyOf(whole, length));
    }
    assertThat(got).hasSize(5);
  }

  private static byte[] tagged(byte[] frame, int type, int tag) {
    byte[] made = new byte[frame.length + 4];
    System.arraycopy(frame, 0, made, 0, 12);
    made[12] = (byte) (type >> 8);
    made[13] = (byte) type;
    made[14] = (byte) (tag >> 8);
    made[15] = (byte) tag;
    System.arraycopy(frame, 12, made, 16, frame.length - 12);
    return made;
  }

  @Test
  void lengthsThatLieAreRefused() {
    byte[] good = Frames.packet(UDP, 1, 0, new byte[0], Frames.datagram(new byte[] {5}));
    come(good.clone());
    assertThat(got).hasSize(1);
    for (int length = 0; length < good.length; length++) {
      come(Arrays.copyOf(good, length));
    }
    come(changed(good, 14, 0x65), changed(good, 14, 0x44), changed(good, 14, 0x4f));
    come(changed(good, 17, 200), changed(good, 17, 3), changed(good, 17, 19));
    come(changed(good, 39, 7), changed(good, 39, 200));
    assertThat(got).hasSize(1);
    byte[] padded = Arrays.copyOf(good, 60);
    come(padded);
    assertThat(got).as("what Ethernet pads is cut off").hasSize(2);
    assertThat(got.get(1).bytes()).containsExactly(5);
  }

  private static byte[] changed(byte[] frame, int at, int value) {
    byte[] other = frame.clone();
    other[at] = (byte) value;
    return Frames.sealed(other, 20);
  }

  @Test
  void sendersThatCannotBeAreRefused() {
    byte[] data = Frames.datagram(new byte[] {5});
    for (String source :
        List.of("10.0.0.2", "10.0.0.255", "255.255.255.255", "0.0.0.1", "127.0.0.1", "224.0.0.1")) {
      byte[] frame = Frames.packet(UDP, 1, 0, new byte[0], data);
      int address = StackRig.address(source);
      for (int i = 0; i < 4; i++) {
        frame[26 + i] = (byte) (address >>> (24 - 8 * i));
      }
      come(Frames.sealed(frame, 20));
    }
    assertThat(got).isEmpty();
  }

  @Test
  void wrongChecksumsAreCounted() {
    byte[] frame = Frames.packet(UDP, 1, 0, new byte[0], Frames.datagram(new byte[] {5}));
    byte[] wrongHeader = frame.clone();
    wrongHeader[24]++;
    byte[] wrongData = frame.clone();
    wrongData[40] = 1;
    come(wrongHeader, wrongData);
    assertThat(got).isEmpty();
    assertThat(rig.right.counters().malformed()).isEqualTo(1);
    assertThat(rig.right.counters().badChecksums()).isEqualTo(1);
  }

  @Test
  void anEchoToAllStationsIsNotAnswered() {
    byte[] echo = {8, 0, (byte) 0xf7, (byte) 0xff, 0, 0, 0, 0};
    byte[] frame = Frames.packet(1, 1, 0, new byte[0], echo);
    byte[] toAll = frame.clone();
    toAll[33] = (byte) 255;
    come(Frames.sealed(toAll, 20));
    assertThat(rig.right.counters().echoes()).isZero();
    come(frame);
    assertThat(rig.right.counters().echoes()).isEqualTo(1);
  }

  @Test
  void aReceiverThatThrowsLosesNoFrame() throws IOException {
    byte[] data = Frames.datagram(new byte[] {5});
    byte[] frame = Frames.packet(UDP, 1, 0, new byte[0], data);
    rig.right
        .bind(8, _ -> {})
        .receiver((memory, at, length, from, port) -> {
          throw new IllegalStateException("thrown by a test");
        });
    byte[] other = frame.clone();
    other[37] = 8;
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> come(frame, other, frame, frame)).hasMessage("thrown by a test");
    }
    assertThat(rig.rightPort.free()).isEqualTo(rig.rightPort.frames());
    assertThat(got).as("those in front of it").hasSize(10);
  }

  @Test
  void aFrameForAllStationsGetsNoError() {
    byte[] data = Frames.datagram(new byte[] {5});
    data[3] = 9; // a port without a socket
    byte[] frame = Frames.packet(UDP, 1, 0, new byte[0], data);
    byte[] toAll = frame.clone();
    Arrays.fill(toAll, 0, 6, (byte) -1);
    come(toAll);
    assertThat(rig.right.counters().icmpErrorsSent()).isZero();
    come(frame);
    assertThat(rig.right.counters().icmpErrorsSent()).isEqualTo(1);
    assertThat(rig.right.counters().closedPorts()).isEqualTo(2);
  }

  @Test
  void fragmentsForTwoAddressesAreTwoPackets() {
    byte[] all = datagram(100);
    byte[] toAll = fragment(all, 40, 108);
    toAll[33] = (byte) 255;
    come(fragment(all, 0, 40), Frames.sealed(toAll, 20));
    assertThat(got).isEmpty();
    assertThat(rig.right.held()).isEqualTo(2);
    come(fragment(all, 40, 108));
    assertThat(got).hasSize(1);
  }

  @Test
  void anArpPacketForAnotherKindOfNetworkIsRefused() {
    byte[] request = {
      -1, -1, -1, -1, -1, -1, 2, 0, 0, 0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10,
      0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2
    };
    int[] replies = new int[1];
    rig.wire.tap(frame -> replies[0] += frame[12] == 8 && frame[13] == 6 ? 1 : 0);
    come(request.clone());
    assertThat(replies[0]).isEqualTo(1);
    for (int at : new int[] {15, 16, 18, 19}) {
      byte[] wrong = request.clone();
      wrong[at] ^= 2;
      come(wrong);
    }
    byte[] group = request.clone();
    group[22] = 3;
    byte[] ours = request.clone();
    ours[31] = 2;
    come(group, ours, Arrays.copyOf(request, 41));
    assertThat(replies[0]).isEqualTo(1);
  }
}
