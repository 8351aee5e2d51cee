package sluice.bench.run;

/// Numbers on a command line. Without state: any thread may call.
public final class OptionNumber {
  private OptionNumber() {}

  /// @throws IllegalArgumentException naming option, range and value
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

  /// @throws IllegalArgumentException naming option, range and value
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
