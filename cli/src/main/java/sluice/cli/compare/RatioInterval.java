package sluice.cli.compare;

import java.util.Locale;

/// The ratio of paired measurements with its 95 % confidence interval. Instances are immutable.
///
/// @param ratio the geometric mean of the ratios of all pairs, which is equal to the ratio of both
///   geometric means; it is below 1 if the values of Sluice are smaller
/// @param low the lower bound of the interval
/// @param high the upper bound of the interval
record RatioInterval(double ratio, double low, double high) {
  /// The 97.5 % quantiles of Student's distribution for 1, 2, … degrees of freedom.
  private static final double[] STUDENT = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086
  };

  /// Computes the ratio.
  ///
  /// @param ours the values of Sluice, one per round
  /// @param theirs the values of the JDK for the same rounds, at least two
  static RatioInterval of(double[] ours, double[] theirs) {
    int n = ours.length;
    double[] logs = new double[n];
    double mean = 0;
    for (int i = 0; i < n; i++) {
      logs[i] = Math.log(ours[i] / theirs[i]);
      mean += logs[i] / n;
    }
    double squares = 0;
    for (double log : logs) {
      squares += (log - mean) * (log - mean);
    }
    double quantile = STUDENT[Math.min(n - 1, STUDENT.length) - 1];
    double half = quantile * Math.sqrt(squares / (n - 1) / n);
    return new RatioInterval(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
  }

  /// Returns the geometric mean, on which [#ratio] is based.
  ///
  /// @param values positive values
  static double geometricMean(double[] values) {
    double mean = 0;
    for (double value : values) {
      mean += Math.log(value) / values.length;
    }
    return Math.exp(mean);
  }

  boolean isBelowOne() {
    return high < 1;
  }

  boolean isAboveOne() {
    return low > 1;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.3f [%.3f–%.3f]", ratio, low, high);
  }
}
