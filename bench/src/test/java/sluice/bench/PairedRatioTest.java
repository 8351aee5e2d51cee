package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class PairedRatioTest {
  @Test
  void isTheMedianOfRatiosNotTheRatioOfMedians() {
    double[] ours = {1, 10, 100};
    double[] theirs = {2, 10, 400};
    assertThat(PairedRatio.of(ours, theirs)).isEqualTo(new PairedRatio(0.5, 0.25, 1, 3));
  }

  @Test
  void evenNumbersOfRoundsHaveTheMeanOfTheMiddle() {
    assertThat(PairedRatio.median(new double[] {4, 1, 3, 2})).isEqualTo(2.5);
    assertThat(PairedRatio.median(new double[] {7})).isEqualTo(7);
  }

  @Test
  void doesNotReorderItsArguments() {
    double[] values = {3, 1, 2};
    PairedRatio.median(values);
    assertThat(values).containsExactly(3, 1, 2);
  }

  @Test
  void refusesWhatIsNotPaired() {
    double[] one = {1};
    assertThatThrownBy(() -> PairedRatio.of(one, new double[] {1, 2}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PairedRatio.of(one, new double[] {0}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PairedRatio.median(new double[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void differencesWithinTheControlAreNone() {
    PairedRatio control = new PairedRatio(1.01, 0.96, 1.05, 6);
    assertThat(new PairedRatio(0.97, 0.9, 1.1, 6).within(control)).isTrue();
    assertThat(new PairedRatio(0.90, 0.8, 0.95, 6).within(control)).isFalse();
    assertThat(new PairedRatio(1.10, 1.06, 1.2, 6).within(control)).isFalse();
  }

  @Test
  void aBiasedControlStillCountsFromOne() {
    PairedRatio control = new PairedRatio(1.05, 1.03, 1.08, 6);
    assertThat(new PairedRatio(1.01, 1, 1.02, 6).within(control)).isTrue();
  }
}
