package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/// Tests a ring's pages after their release.
class RingPagesTest {
  @Test
  void releasedPagesAreZerosOfTheirOwn() throws Exception {
    RingPages pages = RingPages.anonymous(8192);
    MemorySegment segment = pages.segment();
    segment.set(JAVA_LONG, 4096, 5);
    pages.release();
    assertThat(segment.get(JAVA_LONG, 4096)).isZero();
    RingPages next = RingPages.anonymous(8192);
    segment.set(JAVA_LONG, 4096, 6);
    assertThat(next.segment().address()).isNotEqualTo(segment.address());
    assertThat(next.segment().get(JAVA_LONG, 4096)).isZero();
    next.release();
  }
}
