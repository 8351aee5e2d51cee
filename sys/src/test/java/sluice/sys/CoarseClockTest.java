package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.testbase.AllocatedBytes;

/// Compares the coarse clock with the exact one.
final class CoarseClockTest {
  private static final long MOST_BEHIND_NANOS = 1_000_000_000L;

  @Test
  void isTheTimeOfDayAndDoesNotGoBack() {
    long last = 0;
    for (int i = 0; i < 10_000; i++) {
      long now = CoarseClock.realtimeNanos();
      long exact = System.currentTimeMillis() * 1_000_000L;
      assertThat(now).isGreaterThanOrEqualTo(last);
      // Not ahead, and not far behind; a wait between the two readings counts as behind.
      assertThat(now).isLessThan(exact + 1_000_000L);
      if (now < exact - MOST_BEHIND_NANOS) {
        assertThat(CoarseClock.realtimeNanos()).isGreaterThan(exact - MOST_BEHIND_NANOS);
      }
      last = now;
    }
  }

  @Test
  void isReadWithoutAllocation() throws Exception {
    long[] sum = new long[1];
    long allocated =
        AllocatedBytes.settled(
            99_999,
            () -> {
              for (int i = 0; i < 100_000; i++) {
                sum[0] += CoarseClock.realtimeNanos();
              }
            });
    assertThat(allocated).isLessThan(100_000);
    assertThat(sum[0]).isNotZero();
  }
}
