package sluice.loop.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class HandlerTimesTest {
  @Test
  void nothingHasRun() {
    HandlerTimes times = new HandlerTimes();
    assertThat(times.count()).isZero();
    assertThat(times.quantileNanos(0.99)).isZero();
    assertThat(times.firstNanos()).isEqualTo(-1);
    assertThat(times.toString()).isEmpty();
    assertThatThrownBy(() -> times.quantileNanos(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void everyTimeIsBelowTheEndOfItsBucketAndNotBelowTheOneBefore() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong(1L << (1 + random.nextInt(40)));
      int bucket = HandlerTimes.bucket(nanos);
      assertThat(nanos).as("seed " + seed).isLessThan(HandlerTimes.endNanos(bucket));
      if (bucket > 0) {
        assertThat(nanos).isGreaterThanOrEqualTo(HandlerTimes.endNanos(bucket - 1));
      }
    }
  }

  @Test
  void theFirstMessageWaitsForTheMakingToo() {
    HandlerTimes times = new HandlerTimes();
    times.made(70_000);
    times.ran(5_000);
    times.made(1_000_000);
    times.ran(6_000);
    assertThat(times.firstNanos()).isEqualTo(75_000);
    assertThat(times.maxNanos()).isEqualTo(6_000);
  }

  @Test
  void quantilesAreKnownToTenMicroseconds() {
    HandlerTimes times = new HandlerTimes();
    for (int i = 0; i < 990; i++) {
      times.ran(3_000);
    }
    for (int i = 0; i < 9; i++) {
      times.ran(125_000);
    }
    times.ran(50_500_000);
    assertThat(times.count()).isEqualTo(1000);
    assertThat(times.countUpTo(10_000)).isEqualTo(990);
    assertThat(times.countBeyondAdvice()).isEqualTo(10);
    assertThat(times.quantileNanos(0.5)).isEqualTo(10_000);
    assertThat(times.quantileNanos(0.995)).isEqualTo(130_000);
    assertThat(times.quantileNanos(1)).isEqualTo(50_500_000);
    assertThat(times.maxNanos()).isEqualTo(50_500_000);
    assertThat(times.firstNanos()).isEqualTo(3_000);
    assertThat(times.toString()).isEqualTo("10:990 130:9 51000:1");
  }
}
