package sluice.cli.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/// Tests the ratio of paired rounds and its confidence interval.
final class RatioIntervalTest {
  @Test
  void pairsThatAgreeHaveANarrowInterval() {
    RatioInterval ratio =
        RatioInterval.of(new double[] {8, 16, 4, 80}, new double[] {10, 20, 5, 100});
    assertThat(ratio.ratio()).isCloseTo(0.8, within(1e-9));
    assertThat(ratio.high() - ratio.low()).isLessThan(1e-9);
    assertThat(ratio.isBelowOne()).isTrue();
    assertThat(ratio.isAboveOne()).isFalse();
  }

  @Test
  void theIntervalIsThatOfStudent() {
    // logs ±0.1 with mean 0: standard error 0.1 / sqrt(3), 3 degrees of freedom
    double up = Math.exp(0.1);
    RatioInterval ratio =
        RatioInterval.of(new double[] {up, 1, up, 1}, new double[] {1, up, 1, up});
    assertThat(ratio.ratio()).isCloseTo(1, within(1e-9));
    assertThat(ratio.high()).isCloseTo(Math.exp(3.182 * 0.1 / Math.sqrt(3)), within(1e-3));
    assertThat(ratio.low()).isCloseTo(1 / ratio.high(), within(1e-9));
    assertThat(ratio.isBelowOne()).isFalse();
    assertThat(ratio.isAboveOne()).isFalse();
  }
}
