package sluice.net.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Checks that headers are read back as they were written, with valid checksums, whatever the
/// memory contained before.
@Timeout(60)
class HeadersTest {
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final MemorySegment memory = Arena.ofAuto().allocate(128);

  private void dirty() {
    byte[] bytes = new byte[128];
    random.nextBytes(bytes);
    memory.copyFrom(MemorySegment.ofArray(bytes));
  }

  @Test
  void ipv4() {
    for (int i = 0; i < 10_000; i++) {
      dirty();
      int id = random.nextInt(1 << 16);
      int protocol = random.nextInt(1 << 8);
      int source = random.nextInt();
      int destination = random.nextInt();
      int payload = random.nextInt(1480);
      int offset = random.nextInt(1 << 13) * 8;
      boolean more = random.nextBoolean();
      Ipv4Header.write(memory, 3, id, protocol, source);
      Ipv4Header.fragment(memory, 3, destination, payload, offset, more);
      assertThat(Ipv4Header.check(memory, 3, 20 + payload)).as("seed %d", seed).isEqualTo(20);
      assertThat(Ipv4Header.totalLength(memory, 3)).isEqualTo(20 + payload);
      assertThat(Ipv4Header.id(memory, 3)).isEqualTo(id);
      assertThat(Ipv4Header.protocol(memory, 3)).isEqualTo(protocol);
      assertThat(Ipv4Header.source(memory, 3)).isEqualTo(source);
      assertThat(Ipv4Header.destination(memory, 3)).isEqualTo(destination);
      assertThat(Ipv4Header.fragmentOffset(memory, 3)).isEqualTo(offset);
      assertThat(Ipv4Header.moreFragments(memory, 3)).isEqualTo(more);
    }
  }

  @Test
  void udp() {
    for (int i = 0; i < 10_000; i++) {
      dirty();
      int length = 8 + random.nextInt(100);
      int pseudo = random.nextInt(1 << 16);
      int from = random.nextInt(1 << 16);
      int to = random.nextInt(1 << 16);
      UdpHeader.write(memory, 5, from, to, length, pseudo);
      int sum = Checksum.add(pseudo, Checksum.sum(memory, 5, length));
      assertThat(sum).as("seed %d", seed).isEqualTo(0xffff);
      assertThat(UdpHeader.sourcePort(memory, 5)).isEqualTo(from);
      assertThat(UdpHeader.destinationPort(memory, 5)).isEqualTo(to);
      assertThat(UdpHeader.length(memory, 5)).isEqualTo(length);
    }
  }

  @Test
  void aChecksumOfZeroIsWrittenAsAllOnes() {
    UdpHeader.write(memory.fill((byte) 0), 0, 0xffff - 8, 0, 8, 0);
    assertThat(UdpHeader.checksum(memory, 0)).isEqualTo(0xffff);
  }

  @Test
  void ethernet() {
    for (int i = 0; i < 1000; i++) {
      dirty();
      long destination = random.nextLong() & 0xffff_ffff_ffffL;
      long source = random.nextLong() & 0xffff_ffff_ffffL;
      EthernetHeader.write(memory, 2, destination, source, EthernetHeader.TYPE_ARP);
      assertThat(EthernetHeader.destination(memory, 2)).as("seed %d", seed).isEqualTo(destination);
      assertThat(EthernetHeader.source(memory, 2)).isEqualTo(source);
      assertThat(EthernetHeader.type(memory, 2)).isEqualTo(EthernetHeader.TYPE_ARP);
    }
  }
}
