package sluice.host.plugin;

import sluice.host.file.UsageException;

/// The limits on the calls of a plug-in, and the reaction to a hanging call. Instances are
/// immutable.
///
/// @param calls the maximum number of concurrent calls, which may be further limited by the budget
///   of threads
/// @param waiting the maximum number of waiting calls; any further requests are answered with 503
/// @param restarts true to restart the plug-in if a call is hanging
record PluginTerms(int calls, int waiting, boolean restarts) {
  static final PluginTerms DEFAULT = new PluginTerms(16, 64, true);

  private static final int MOST_CALLS = 256;
  private static final int MOST_WAITING = 4096;

  /// Returns a copy with the given value for one of the limits.
  ///
  /// @throws UsageException if the value is not valid; the message contains the allowed values
  PluginTerms with(String name, String value) throws UsageException {
    return switch (name) {
      case "calls" -> new PluginTerms(number(name, value, 1, MOST_CALLS), waiting, restarts);
      case "waiting" -> new PluginTerms(calls, number(name, value, 0, MOST_WAITING), restarts);
      case "restart" -> new PluginTerms(calls, waiting, restarts(value));
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static int number(String name, String value, int least, int most) throws UsageException {
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The value is reported below like a number that is out of range.
    }
    throw new UsageException(
        "%s of a plug-in is a number from %d to %d: %s".formatted(name, least, most, value));
  }

  private static boolean restarts(String value) throws UsageException {
    return switch (value) {
      case "always" -> true;
      case "never" -> false;
      default -> throw new UsageException("restart of a plug-in is always or never: " + value);
    };
  }
}
