package sluice.acceptance.suites;

import java.util.Set;
import java.util.TreeSet;

/// Tells differences between an engine and the JDK from accidents of a busy machine, without hiding
/// bugs that show only now and then. The thread of one test calls.
///
/// What fails on the engine and not on the control is run twice more on both. It is a difference if
/// it fails on the engine twice of three times and never on the control; whatever else failed is
/// printed on a line that begins with `intermittent: `, which `./sluice test` repeats at its end.
final class Attempts {
  private static final int ATTEMPTS = 3;

  private Attempts() {}

  /// One run of some tests.
  interface Runner {
    /// Runs tests to their end.
    ///
    /// @param attempt 1, 2 or 3
    /// @param only the names of the tests that matter, empty for all
    /// @return the names of those that failed
    Set<String> failures(String engine, int attempt, Set<String> only) throws Exception;
  }

  /// @param control what failed in the first run of the control
  /// @return the names of the tests that are different on the engine
  static Set<String> differences(String engine, Set<String> control, Runner runner)
      throws Exception {
    Set<String> suspects = new TreeSet<>(runner.failures(engine, 1, Set.of()));
    suspects.removeAll(control);
    if (suspects.isEmpty()) {
      return suspects;
    }
    System.out.println(engine + ", twice more: " + suspects);
    Set<String> twice = new TreeSet<>();
    Set<String> onTheJdk = new TreeSet<>();
    for (int attempt = 2; attempt <= ATTEMPTS; attempt++) {
      Set<String> again = new TreeSet<>(runner.failures(engine, attempt, suspects));
      again.retainAll(suspects);
      twice.addAll(again);
      onTheJdk.addAll(runner.failures(EngineRun.CONTROL, attempt, suspects));
    }
    for (String test : suspects) {
      if (onTheJdk.contains(test)) {
        System.out.println("intermittent: on the JDK too, and on " + engine + ": " + test);
      } else if (!twice.contains(test)) {
        System.out.println("intermittent: once of three times on " + engine + ": " + test);
      }
    }
    twice.removeAll(onTheJdk);
    return twice;
  }
}
