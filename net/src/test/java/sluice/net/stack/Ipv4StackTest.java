package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.port.LinkChange;
import sluice.testbase.AllocatedBytes;

/// Tests two stacks that communicate over a simulated wire.
@Timeout(300)
class Ipv4StackTest {
  private static final int LEFT = StackRig.address("10.0.0.1");
  private static final int RIGHT = StackRig.address("10.0.0.2");

  private StackRig rig = new StackRig();

  @AfterEach
  void close() {
    rig.close();
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void datagramsOfEachLengthComeWhole() throws IOException {
    List<StackRig.Got> got = StackRig.list();
    StackRig.collect(rig.right, 53, got);
    UdpSocket from = rig.left.bind(0, _ -> {});
    int[] lengths = {0, 1, 100, 1471, 1472, 1473, 2951, 2952, 9000, 65_507};
    for (int length : lengths) {
      assertThat(rig.send(from, bytes(length), RIGHT, 53)).isTrue();
      rig.left.flush();
      rig.run(20);
    }
    assertThat(got).hasSize(lengths.length);
    for (int i = 0; i < lengths.length; i++) {
      assertThat(got.get(i).bytes()).isEqualTo(bytes(lengths[i]));
      assertThat(got.get(i).address()).isEqualTo(LEFT);
      assertThat(got.get(i).port()).isEqualTo(from.port());
    }
    assertThat(rig.right.counters().reassembled()).isEqualTo(5);
    rig.assertNothingIsKept();
  }

  @Test
  void theFirstPacketsWaitForTheAddressOfTheirStation() throws IOException {
    List<StackRig.Got> got = StackRig.list();
    StackRig.collect(rig.right, 53, got);
    UdpSocket from = rig.left.bind(0, _ -> {});
    for (int i = 0; i < 12; i++) {
      boolean _ = rig.send(from, new byte[] {(byte) i}, RIGHT, 53);
    }
    rig.left.flush();
    rig.run(10);
    assertThat(got).as("at most eight wait for one station").hasSize(8);
    assertThat(rig.left.counters().unresolved()).isEqualTo(4);
    boolean _ = rig.send(from, new byte[1], RIGHT, 53);
    rig.left.flush();
    rig.run(3);
    assertThat(got).hasSize(9);
  }

  @Test
  void aStationThatIsNotThereIsAskedForThreeTimesAndGivenUp() throws IOException {
    int[] asked = new int[1];
    rig.wire.tap(frame -> asked[0] += isQuestion(frame) ? 1 : 0);
    UdpSocket from = rig.left.bind(0, _ -> {});
    for (int i = 0; i < 3; i++) {
      assertThat(rig.send(from, bytes(10), StackRig.address("10.0.0.9"), 53)).isTrue();
    }
    rig.left.flush();
    assertThat(rig.left.held()).isEqualTo(3);
    rig.assertNothingIsKept();
    assertThat(asked[0]).isEqualTo(3);
    assertThat(rig.left.counters().unresolved()).isEqualTo(3);
  }

  @Test
  void whatWaitsForManyStationsIsBounded() throws IOException {
    UdpSocket from = rig.left.bind(0, _ -> {});
    for (int i = 3; i < 250; i++) {
      boolean _ = rig.send(from, bytes(10), StackRig.address("10.0.0." + i), 53);
      rig.left.flush();
    }
    assertThat(rig.left.held()).isEqualTo(64);
    rig.assertNothingIsKept();
  }

  @Test
  void anAddressIsConfirmedWhileItIsUsedAndForgottenOtherwise() throws IOException {
    int[] broadcast = new int[1];
    int[] direct = new int[1];
    rig.wire.tap(frame -> {
      if (isQuestion(frame)) {
        (frame[0] == -1 ? broadcast : direct)[0]++;
      }
    });
    List<StackRig.Got> got = StackRig.list();
    StackRig.collect(rig.right, 53, got);
    UdpSocket from = rig.left.bind(0, _ -> {});
    for (int second = 0; second < 120; second++) {
      boolean _ = rig.send(from, bytes(10), RIGHT, 53);
      rig.left.flush();
      rig.run(10);
      rig.wire.advance(1_000_000_000L);
      rig.left.tick();
    }
    assertThat(got).hasSize(120);
    assertThat(broadcast[0]).isEqualTo(1);
    assertThat(direct[0]).isEqualTo(2);
    rig.wire.advance(61_000_000_000L);
    rig.left.tick();
    boolean _ = rig.send(from, bytes(10), RIGHT, 53);
    rig.left.flush();
    assertThat(broadcast[0]).isEqualTo(2);
  }

  @Test
  void packetsFitTheLinkAsItBecomes() throws IOException {
    List<StackRig.Got> got = StackRig.list();
    StackRig.collect(rig.right, 53, got);
    UdpSocket from = rig.left.bind(0, _ -> {});
    for (int mtu : new int[] {1500, 1000, 68, 576, 1281, 1500}) {
      rig.leftPort.mtu(mtu);
      rig.left.tick();
      for (int length : new int[] {0, mtu - 28, mtu - 27, 1472, 4000}) {
        got.clear();
        assertThat(rig.send(from, bytes(length), RIGHT, 53)).isTrue();
        rig.left.flush();
        rig.run(10); // the wire throws on a packet that is longer than its MTU
        assertThat(got).as("%d on %d", length, mtu).hasSize(1);
        assertThat(got.getFirst().bytes()).isEqualTo(bytes(length));
      }
    }
    assertThat(rig.left.counters().changes(LinkChange.MTU)).isEqualTo(5);
    rig.assertNothingIsKept();
  }

  /// Returns true if the frame is an ARP request for another station, neither a probe nor an
  /// announcement.
  private static boolean isQuestion(byte[] frame) {
    boolean own = Arrays.equals(frame, 28, 32, frame, 38, 42);
    boolean none = Arrays.equals(frame, 28, 32, new byte[4], 0, 4);
    return frame[12] == 8 && frame[13] == 6 && frame[21] == 1 && !own && !none;
  }

  @Test
  void echoesOfEachLengthAreAnswered() {
    List<Integer> lengths = new ArrayList<>();
    byte[] sent = bytes(4000);
    rig.left.listen((from, word, data, at, length) -> {
      assertThat(from).isEqualTo(RIGHT);
      assertThat(word).isEqualTo(0x1234_0000 + length);
      byte[] bytes = data.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
      assertThat(bytes).isEqualTo(Arrays.copyOf(sent, length));
      lengths.add(length);
    });
    for (int length : new int[] {0, 56, 1472, 4000}) {
      assertThat(rig.left.echo(RIGHT, 0x1234_0000 + length, Arrays.copyOf(sent, length))).isTrue();
      rig.left.flush();
      rig.run(10);
    }
    assertThat(lengths).containsExactly(0, 56, 1472, 4000);
    rig.assertNothingIsKept();
  }

  @Test
  void aClosedPortIsToldToItsSenderButNotTooOften() throws IOException {
    UdpSocket from = rig.left.bind(0, _ -> {});
    for (int i = 0; i < 200; i++) {
      boolean _ = rig.send(from, bytes(10), RIGHT, 9);
      rig.left.flush();
      rig.run(4);
    }
    assertThat(rig.right.counters().closedPorts()).isEqualTo(200);
    assertThat(rig.left.counters().icmpErrorsReceived()).isBetween(100L, 110L);
  }

  @Test
  void aPortBelongsToOneSocketAtATime() throws IOException {
    UdpSocket first = rig.left.bind(53, _ -> {});
    assertThatThrownBy(() -> rig.left.bind(53, _ -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("EADDRINUSE")
        .hasMessageContaining("Why: ")
        .hasMessageContaining("Fix: ");
    first.close();
    first.close();
    assertThat(rig.send(first, bytes(1), RIGHT, 53)).isFalse();
    UdpSocket second = rig.left.bind(53, _ -> {});
    assertThat(second.port()).isEqualTo(53);
    for (int i = 1; i < Udp.MOST_SOCKETS; i++) {
      UdpSocket _ = rig.left.bind(0, _ -> {});
    }
    assertThatThrownBy(() -> rig.left.bind(0, _ -> {})).hasMessageContaining("64 sockets");
  }

  @Test
  void otherNetworksAreReachedThroughTheGatewayOnly() throws IOException {
    UdpSocket from = rig.left.bind(0, _ -> {});
    assertThat(rig.send(from, bytes(1), StackRig.address("192.0.2.1"), 53)).isFalse();
    assertThat(rig.send(from, bytes(1), LEFT, 53)).isFalse();
    assertThat(rig.send(from, bytes(1), StackRig.address("224.0.0.1"), 53)).isFalse();
    assertThat(rig.left.counters().noRoute()).isEqualTo(3);
  }

  @Test
  void aReceiverMayCloseTheStackItIsCalledBy() throws IOException {
    UdpSocket socket = rig.right.bind(53, _ -> {});
    int[] got = new int[1];
    socket.receiver((memory, at, length, from, port) -> {
      rig.right.close();
      got[0] += memory.get(ValueLayout.JAVA_BYTE, at);
    });
    UdpSocket from = rig.left.bind(0, _ -> {});
    boolean _ = rig.send(from, new byte[] {7}, RIGHT, 53);
    boolean _ = rig.send(from, new byte[] {7}, RIGHT, 53);
    rig.left.flush();
    rig.run(10);
    assertThat(got[0]).isEqualTo(7);
    assertThat(rig.right.echo(LEFT, 0, bytes(1))).isFalse();
    assertThat(rig.send(socket, bytes(1), LEFT, 53)).isFalse();
    rig.right.tick();
    rig.right.close();
  }

  @Test
  void aWireThatLosesRepeatsDelaysAndCorruptsDeliversNothingWrong() throws IOException {
    rig.close();
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    rig = new StackRig(seed, new SimWire.Faults(50, 50, 200, 50));
    Random random = new Random(seed);
    List<StackRig.Got> got = StackRig.list();
    StackRig.collect(rig.right, 53, got);
    UdpSocket from = rig.left.bind(1000, _ -> {});
    for (int i = 0; got.isEmpty(); i++) { // a lost ARP request is repeated after a second
      assertThat(i).as("seed %d", seed).isLessThan(10);
      boolean _ = rig.send(from, bytes(1), RIGHT, 53);
      rig.left.flush();
      rig.settle();
    }
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = bytes(random.nextInt(4) == 0 ? random.nextInt(9000) : random.nextInt(1400));
      boolean _ = rig.send(from, bytes, RIGHT, 53);
      rig.left.flush();
      rig.run(3);
      if (i % 100 == 0) {
        rig.left.tick();
        rig.right.tick();
      }
    }
    rig.assertNothingIsKept();
    assertThat(got).as("seed %d", seed).hasSizeBetween(1000, 2300);
    for (StackRig.Got each : got) {
      assertThat(each.bytes()).as("seed %d", seed).isEqualTo(bytes(each.bytes().length));
    }
    assertThat(rig.right.counters().badChecksums() + rig.right.counters().malformed())
        .as("seed %d", seed)
        .isPositive();
  }

  @Test
  void nothingIsAllocatedForAPacket() throws Exception {
    UdpSocket echo = rig.right.bind(7, _ -> {});
    echo.receiver((memory, at, length, from, port) -> {
      boolean _ = echo.send(memory, at, length, from, port);
    });
    byte[] frame = request();
    rig.wire.tap(_ -> {});
    long allocated =
        AllocatedBytes.settled(
            64_000,
            () -> {
              for (int i = 0; i < 1000; i++) {
                QuietPort port = quiet;
                port.offer(frame);
                int _ = quietStack.poll();
              }
            });
    assertThat(allocated).isLessThanOrEqualTo(64_000);
    assertThat(quiet.sent()).isGreaterThan(1000);
  }

  private final QuietPort quiet = new QuietPort();
  private Ipv4Stack quietStack = rig.left;

  /// Sends a datagram from the left stack to port 7 of the right one, and returns its frame.
  private byte[] request() throws IOException {
    List<byte[]> frames = new ArrayList<>();
    rig.wire.tap(frame -> {
      if (frame[13] == 0) {
        frames.add(frame);
      }
    });
    UdpSocket from = rig.left.bind(0, _ -> {});
    boolean _ = rig.send(from, bytes(300), RIGHT, 7);
    rig.left.flush();
    rig.run(6);
    quietStack = new Ipv4Stack(quiet, rig.right.config(), System::nanoTime, 0);
    UdpSocket echo = quietStack.bind(7, _ -> {});
    echo.receiver((memory, at, length, address, port) -> {
      boolean _ = echo.send(memory, at, length, address, port);
    });
    quiet.offer(arpReply());
    int _ = quietStack.poll();
    return frames.getFirst();
  }

  private static byte[] arpReply() {
    return new byte[] {
      2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0,
      1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2
    };
  }
}
