package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Checks that the packet IDs and port numbers do not reveal the next ones.
class SecretNumbersTest {
  @Test
  void theHashIsSipHash() {
    // from the test vectors of its authors: key 00 01 … 0f, message 00 01 … 07
    SecretNumbers numbers =
        new SecretNumbers(0x0706_0504_0302_0100L, 0x0f0e_0d0c_0b0a_0908L, 0x0706_0504_0302_0100L);
    assertThat(numbers.next()).isEqualTo(0x93f5_f579_9a93_2462L);
  }

  @Test
  void noPacketHasTheNumberOfOneOfTheLast65536() {
    PacketIds ids = new PacketIds(new SecretNumbers(7));
    int[] first = new int[1 << 16];
    for (int cycle = 0; cycle < 3; cycle++) {
      BitSet seen = new BitSet();
      int steps = 0;
      int differs = 0;
      int before = -1;
      for (int i = 0; i < 1 << 16; i++) {
        int id = ids.next();
        assertThat(seen.get(id)).isFalse();
        seen.set(id);
        steps += Math.abs(id - before) <= 2 ? 1 : 0;
        differs += first[i] != id ? 1 : 0;
        first[i] = id;
        before = id;
      }
      assertThat(seen.cardinality()).isEqualTo(1 << 16);
      assertThat(steps).as("next to the one before").isLessThan(100);
      assertThat(differs).as("another order each time").isGreaterThan(65_000);
    }
  }

  @Test
  void packetsOfTwoStacksHaveOtherNumbers() {
    PacketIds one = new PacketIds(new SecretNumbers(1));
    PacketIds other = new PacketIds(new SecretNumbers(2));
    int same = 0;
    for (int i = 0; i < 10_000; i++) {
      same += one.next() == other.next() ? 1 : 0;
    }
    assertThat(same).isLessThan(20);
  }

  @Test
  void portsThatAreChosenDoNotTellTheNext() throws IOException {
    Set<Integer> distances = new HashSet<>();
    Set<Integer> ports = new HashSet<>();
    try (StackRig rig = new StackRig()) {
      int before = 0;
      for (int i = 0; i < 60; i++) {
        int port = rig.left.bind(0, _ -> {}).port();
        assertThat(port).isBetween(49_152, 65_535);
        assertThat(ports.add(port)).isTrue();
        distances.add(port - before);
        before = port;
      }
    }
    assertThat(distances).hasSizeGreaterThan(55);
  }

  @Test
  void theNumbersOnTheWireAreThose() throws IOException {
    Set<Integer> distances = new HashSet<>();
    try (StackRig rig = new StackRig()) {
      int[] before = new int[1];
      rig.wire.tap(frame -> {
        if (frame[12] == 8 && frame[13] == 0) {
          int id = (frame[18] & 0xff) << 8 | (frame[19] & 0xff);
          distances.add(id - before[0]);
          before[0] = id;
        }
      });
      for (int i = 0; i < 100; i++) {
        boolean _ = rig.left.echo(StackRig.address("10.0.0.255"), i, new byte[1]);
      }
      rig.left.flush();
    }
    assertThat(distances).hasSizeGreaterThan(90);
  }
}
