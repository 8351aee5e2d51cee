package sluice.net.xdp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.sys.Mapping;
import sluice.sys.SysException;
import sluice.sys.xdp.XdpRing;

/// Tests rings with a device side, played by the test, whose counters are right or wrong.
class DeviceRingTest {
  private static final int ENTRIES = 8;
  private static final long PRODUCER = 0;
  private static final long CONSUMER = 64;
  private static final long FLAGS = 128;

  private final Mapping mapping = mapping();
  private final DeviceRing ring =
      new DeviceRing(new XdpRing(mapping, PRODUCER, CONSUMER, FLAGS, 192), ENTRIES);

  private static Mapping mapping() {
    try {
      return Mapping.anonymous(4096, true);
    } catch (SysException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    mapping.close();
  }

  private void tell(long at, int number) {
    mapping.segment().set(ValueLayout.JAVA_INT, at, number);
  }

  private int told(long at) {
    return mapping.segment().get(ValueLayout.JAVA_INT, at);
  }

  @Test
  void aProducerHasTheRoomThatTheConsumerLeaves() {
    for (int i = 0; i < ENTRIES; i++) {
      assertThat(ring.room()).isEqualTo(ENTRIES - i);
      ring.addFrame(i);
    }
    ring.publish();
    assertThat(told(PRODUCER)).isEqualTo(ENTRIES);
    assertThat(ring.room()).isZero();
    assertThat(ring.outstanding()).isEqualTo(ENTRIES);
    tell(CONSUMER, 3);
    assertThat(ring.room()).isEqualTo(3);
    assertThat(ring.outstanding()).isEqualTo(5);
  }

  @Test
  void aConsumerGetsWhatWasProduced() {
    assertThat(ring.available()).isZero();
    mapping.segment().set(ValueLayout.JAVA_LONG, 192, 4096);
    tell(PRODUCER, 1);
    assertThat(ring.available()).isEqualTo(1);
    assertThat(ring.takeFrame()).isEqualTo(4096);
    ring.release();
    assertThat(told(CONSUMER)).isEqualTo(1);
    assertThat(ring.available()).isZero();
  }

  @Test
  void aProducerThatClaimsMoreThanTheRingHoldsOffersNothing() {
    for (int number : new int[] {ENTRIES + 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      tell(PRODUCER, number);
      assertThat(ring.available()).as("%d", number).isZero();
    }
    tell(PRODUCER, ENTRIES);
    assertThat(ring.available()).isEqualTo(ENTRIES);
  }

  @Test
  void aConsumerThatHasTakenMoreThanThereWasMakesNoRoom() {
    for (int i = 0; i < ENTRIES; i++) {
      ring.addFrame(i);
    }
    ring.publish();
    for (int number : new int[] {ENTRIES + 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      tell(CONSUMER, number);
      assertThat(ring.room()).as("%d", number).isZero();
      assertThat(ring.outstanding()).as("%d", number).isEqualTo(ENTRIES);
    }
    tell(CONSUMER, ENTRIES);
    assertThat(ring.outstanding()).isZero();
    assertThat(ring.room()).isEqualTo(ENTRIES);
  }

  @Test
  void theKernelIsCalledWhenItSleeps() {
    assertThat(ring.needsWakeup()).isFalse();
    tell(FLAGS, XdpRing.XDP_RING_NEED_WAKEUP);
    assertThat(ring.needsWakeup()).isTrue();
  }

  @Test
  void bytesThatLieInNoFrameAreRefused() throws IOException {
    for (int mtu : new int[] {1500, 9000}) {
      QueueLayout layout = QueueLayout.of("vA", mtu);
      long end = layout.chunkArea();
      int chunk = layout.chunkBytes();
      assertThat(layout.isInChunk(0, chunk)).isTrue();
      assertThat(layout.isInChunk(256, chunk - 256)).isTrue();
      assertThat(layout.isInChunk(256, chunk - 255)).isFalse();
      assertThat(layout.isInChunk(0, -1)).isFalse();
      assertThat(layout.isInChunk(-1, 0)).isFalse();
      assertThat(layout.isInChunk(end, 0)).isFalse();
      assertThat(layout.isInChunk(end - 1, 1)).isTrue();
      assertThat(layout.isInChunk(Long.MIN_VALUE, 1)).isFalse();
    }
  }
}
