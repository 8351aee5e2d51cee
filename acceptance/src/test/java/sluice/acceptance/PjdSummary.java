package sluice.acceptance;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How many tests of pjdfstest passed. Immutable.
///
/// @param passed tests that passed
/// @param failed tests that failed
record PjdSummary(int passed, int failed) {
  private static final Pattern PASSED = Pattern.compile("([0-9]+) passed");
  private static final Pattern FAILURE = Pattern.compile("([a-z_0-9]+(?:::[a-z_0-9]+)+) +FAILED");
  private static final Pattern FAILED = Pattern.compile("([0-9]+) failed");

  /// The names of the tests that failed, in the order of the suite's output.
  static List<String> failures(List<String> lines) {
    return lines.stream()
        .map(FAILURE::matcher)
        .filter(Matcher::find)
        .map(failure -> failure.group(1))
        .toList();
  }

  /// Reads the last line of the suite's output that counts; without one nothing passed.
  static PjdSummary of(List<String> lines) {
    for (String line : lines.reversed()) {
      Matcher passed = PASSED.matcher(line);
      Matcher failed = FAILED.matcher(line);
      if (passed.find() && failed.find()) {
        return new PjdSummary(Integer.parseInt(passed.group(1)), Integer.parseInt(failed.group(1)));
      }
    }
    return new PjdSummary(0, 0);
  }
}
