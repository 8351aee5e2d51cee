package sluice.bench.run;

/// Parses numbers of a command line. Stateless: any thread may call.
public final class OptionNumber {
  private OptionNumber() {}

  /// Returns a whole number.
  ///
  /// @throws IllegalArgumentException with option, range and value
  public static int whole(String option, String value, int low, int high) {
    try {
      int number = Integer.parseInt(value);
      if (number >= low && number <= high) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below, with the range
    }
    throw new IllegalArgumentException(
        option + " must be a whole number from " + low + " to " + high + ": " + value);
  }

  /// Returns a number, whole or not.
  ///
  /// @throws IllegalArgumentException with option, range and value
  static double any(String option, String value, double low, double high) {
    try {
      double number = Double.parseDouble(value);
      if (number >= low && number <= high) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below, with the range
    }
    throw new IllegalArgumentException(option + " must be " + low + " to " + high + ": " + value);
  }
}
