package sluice.net.xdp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.net.port.FramePool;

/// Tests packets of several buffers that fit or are too long.
class GatherTest {
  private static final int FRAME = 4096;
  private final MemorySegment memory = Arena.ofAuto().allocate(3 * FRAME);
  private final FramePool pool = new FramePool(FRAME, 2, FRAME);
  private final Gather gather = new Gather(memory, pool, FRAME);

  private byte at(long place) {
    return memory.get(ValueLayout.JAVA_BYTE, place);
  }

  @Test
  void buffersBecomeOnePacket() {
    memory.asSlice(0, 100).fill((byte) 1);
    memory.asSlice(1000, 50).fill((byte) 2);
    gather.add(0, 100);
    assertThat(gather.isOpen()).isTrue();
    gather.add(1000, 50);
    long frame = gather.end();
    assertThat(gather.isOpen()).isFalse();
    assertThat(frame).isGreaterThanOrEqualTo(FRAME);
    assertThat(gather.bytes()).isEqualTo(150);
    assertThat(at(frame + 99)).isEqualTo((byte) 1);
    assertThat(at(frame + 100)).isEqualTo((byte) 2);
    assertThat(pool.available()).isEqualTo(1);
  }

  @Test
  void aPacketThatDoesNotFitIsDroppedWithAllThatFollows() {
    gather.add(0, FRAME);
    gather.add(0, 1);
    gather.add(0, 1);
    assertThat(gather.end()).isEqualTo(-1);
    assertThat(pool.available()).isEqualTo(2);
    gather.add(0, FRAME);
    assertThat(gather.end()).isNotEqualTo(-1);
  }

  @Test
  void withoutAFrameAPacketIsDropped() {
    long _ = pool.claim();
    long second = pool.claim();
    gather.add(0, 10);
    gather.add(0, 10);
    assertThat(gather.isOpen()).isTrue();
    assertThat(gather.end()).isEqualTo(-1);
    pool.release(second);
    gather.add(0, 10);
    assertThat(gather.end()).isEqualTo(second);
  }

  @Test
  void noOrderOfBuffersLosesAFrame() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      switch (random.nextInt(4)) {
        case 0 -> gather.spoil();
        case 1 -> {
          long frame = gather.isOpen() ? gather.end() : -1;
          if (frame >= 0) {
            assertThat(gather.bytes()).isBetween(0, FRAME);
            pool.release(frame);
          }
        }
        default -> gather.add(random.nextInt(FRAME / 2), random.nextInt(FRAME / 2));
      }
    }
    long frame = gather.isOpen() ? gather.end() : -1;
    if (frame >= 0) {
      pool.release(frame);
    }
    assertThat(pool.available()).as("seed %d", seed).isEqualTo(2);
  }
}
