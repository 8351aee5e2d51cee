package sluice.bench;

import java.util.Arrays;

/// Ratio of two systems that were measured alternately, one pair per round. Immutable.
///
/// @param ratio median of the paired ratios
/// @param min smallest of them
/// @param max largest of them
/// @param rounds number of pairs
record PairedRatio(double ratio, double min, double max, int rounds) {
  /// @param ours one value per round
  /// @param theirs the other system's, of the same rounds in the same order
  /// @throws IllegalArgumentException when there is no pair, or a value below the line is 0
  static PairedRatio of(double[] ours, double[] theirs) {
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
    return new PairedRatio(median(ratios), ratios[0], ratios[ratios.length - 1], ratios.length);
  }

  /// Whether the difference is lost in the spread of a control that compared a system with itself.
  boolean within(PairedRatio control) {
    return ratio >= Math.min(control.min, 1) && ratio <= Math.max(control.max, 1);
  }

  /// The middle value, or the mean of the two in the middle; `values` need not be sorted.
  static double median(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("the median of nothing");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
