package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class PairedRatioTest {
  @Test
  void isTheMedianOfRatiosNotTheRatioOfMedians() {
    double[] ours = {1, 10, 100};
    double[] theirs = {2, 10, 400};
    assertThat(PairedRatio.of(ours, theirs)).isEqualTo(new PairedRatio(0.5, 0.25, 1, 0.25, 1, 3));
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
    PairedRatio control = ratio(1.01, 0.96, 1.05);
    assertThat(ratio(0.97, 0.9, 1.1).within(control)).isTrue();
    assertThat(ratio(0.90, 0.8, 0.95).within(control)).isFalse();
    assertThat(ratio(1.10, 1.06, 1.2).within(control)).isFalse();
  }

  @Test
  void aBiasedControlStillCountsFromOne() {
    PairedRatio control = ratio(1.05, 1.03, 1.08);
    assertThat(ratio(1.01, 1, 1.02).within(control)).isTrue();
  }

  @Test
  void aControlOfMoreThanATenthIsWide() {
    assertThat(ratio(1.0, 0.97, 1.06).isWide()).isFalse();
    assertThat(ratio(1.0, 0.95, 1.06).isWide()).isTrue();
    assertThat(ratio(1.12, 1.08, 1.2).isWide()).isTrue();
  }

  /// Sign test: of 24 pairs the 7th and the 18th hold the median with 97.7 %, of 6 only all do.
  @Test
  void theIntervalLeavesOutWhatTheSignTestAllows() {
    assertThat(interval(6)).containsExactly(1, 6);
    assertThat(interval(8)).containsExactly(1, 8);
    assertThat(interval(9)).containsExactly(2, 8);
    assertThat(interval(24)).containsExactly(7, 18);
    assertThat(interval(1)).containsExactly(1, 1);
  }

  private static double[] interval(int pairs) {
    double[] ours = new double[pairs];
    double[] theirs = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      ours[i] = i + 1;
      theirs[i] = 1;
    }
    PairedRatio ratio = PairedRatio.of(ours, theirs);
    return new double[] {ratio.low(), ratio.high()};
  }

  private static PairedRatio ratio(double median, double low, double high) {
    return new PairedRatio(median, low, high, low, high, 6);
  }
}
