package sluice.bench.run;

import java.util.Arrays;

/// The ratio of two systems that were measured alternately, one pair per round. Immutable.
///
/// @param ratio median of the paired ratios
/// @param min smallest of them
/// @param max largest of them
/// @param low lower end of the interval that holds their median with 95 % confidence
/// @param high upper end of it
/// @param rounds number of pairs
public record PairedRatio(
    double ratio, double min, double max, double low, double high, int rounds) {
  /// The fewest pairs for which an interval holds the median with 95 % confidence.
  public static final int FEWEST = 6;

  /// The relative width from which a control cannot show that two systems do not differ.
  private static final double WIDE = 1.1;

  /// Returns the ratio of two series.
  ///
  /// @param ours one value per round
  /// @param theirs the other system's, of the same rounds in the same order
  /// @throws IllegalArgumentException if there is no pair, or a divisor is 0
  public static PairedRatio of(double[] ours, double[] theirs) {
    if (ours.length != theirs.length || ours.length == 0) {
      throw new IllegalArgumentException("unpaired: " + ours.length + " and " + theirs.length);
    }
    double[] ratios = new double[ours.length];
    for (int i = 0; i < ratios.length; i++) {
      if (theirs[i] == 0) {
        throw new IllegalArgumentException("round " + i + " has 0 below the line");
      }
      ratios[i] = ours[i] / theirs[i];
    }
    Arrays.sort(ratios);
    int last = ratios.length - 1;
    int skipped = outside(ratios.length);
    return new PairedRatio(
        median(ratios),
        ratios[0],
        ratios[last],
        ratios[skipped],
        ratios[last - skipped],
        ratios.length);
  }

  /// Returns how many of the least, and of the greatest, ratios lie outside the interval of the
  /// median. It is that of the sign test, which assumes nothing about the distribution of ratios.
  /// With fewer than [#FEWEST] pairs the interval is all of them and holds the median with less
  /// confidence.
  private static int outside(int pairs) {
    double all = Math.pow(2, pairs);
    double beyond = 0; // probability, times `all`, that at most `k` pairs are below the median
    double ways = 1;
    int k = 0;
    while (2 * (beyond + ways) / all <= 0.05) {
      beyond += ways;
      ways = ways * (pairs - k) / (k + 1);
      k++;
    }
    return Math.max(0, k - 1);
  }

  /// Returns true if the difference lies within the spread of a control, which compared a system
  /// with itself.
  public boolean within(PairedRatio control) {
    return ratio >= Math.min(control.low, 1) && ratio <= Math.max(control.high, 1);
  }

  /// Returns true if this, as a control, is too wide to show that two systems do not differ.
  public boolean isWide() {
    return Math.max(high, 1) > WIDE * Math.min(low, 1);
  }

  /// Returns the middle value, or the mean of the two in the middle; `values` need not be sorted.
  public static double median(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("the median of nothing");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
