package sluice.testbase.report;

import java.util.List;

/// One test of one run, as a JUnit report tells it. Immutable.
///
/// @param className the test class, nested classes with `$`
/// @param name the method, with its parameters
/// @param kind how it ended
/// @param message of the failure, or why the test was skipped; may be empty
/// @param detail the stack of the failure; may be empty
/// @param seeds lines the test printed about its seed
record TestOutcome(
    String className, String name, Kind kind, String message, String detail, List<String> seeds) {
  enum Kind {
    PASSED,
    FAILED,
    SKIPPED
  }

  /// The class that a build tool is asked to run for this test.
  String topLevelClass() {
    int nested = className.indexOf('$');
    return nested < 0 ? className : className.substring(0, nested);
  }

  @Override
  public String toString() {
    return className + "." + name;
  }
}
