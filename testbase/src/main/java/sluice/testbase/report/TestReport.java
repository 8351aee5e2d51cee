package sluice.testbase.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.testbase.report.TestOutcome.Kind;

/// Closes `sluice test`: tells what a reader needs that has only the end of the output, and counts.
/// A command of one thread, started by the launcher from the compiled classes of this module.
///
/// Of each test that failed stand here the message, the stack to our own code and what the test
/// printed about a seed; of each that was skipped, why; of each that failed and then passed alone,
/// that it is unstable. The last line is `N passed, N failed, N skipped`, which other programs
/// read.
public final class TestReport {
  private static final int MOST_DETAILS = 6;
  private static final int MOST_CLASSES_AGAIN = 6;
  private static final int LINES_OF_MESSAGE = 12;
  private static final int LINES_OF_DETAIL = 24;

  /// So many skipped tests of one class, for one reason, are told in one line.
  private static final int LEAST_ALIKE = 4;

  private final TestRun run;
  private final PrintStream out;
  private int detailed;

  private TestReport(TestRun run, PrintStream out) {
    this.run = run;
    this.out = out;
  }

  /// `summary ROOT STAMP BROKEN` prints the end of the run and exits with 1 when anything failed;
  /// BROKEN says why the run as a whole failed and is empty when it did not. `again ROOT STAMP`
  /// prints `MODULE CLASS` for each class that is to run once more.
  public static void main(String[] args) throws IOException {
    TestRun run = TestRun.read(Path.of(args[1]), Files.getLastModifiedTime(Path.of(args[2])));
    boolean passed =
        args[0].equals("again")
            ? again(run, System.out)
            : summary(run, args.length > 3 ? args[3] : "", System.out);
    System.exit(passed ? 0 : 1);
  }

  /// Many failures are no accident: then none runs again.
  static boolean again(TestRun run, PrintStream out) {
    Map<String, String> failed = run.failedClasses();
    if (failed.size() <= MOST_CLASSES_AGAIN) {
      failed.forEach((name, module) -> out.println(module + " " + name));
    }
    return true;
  }

  /// Prints all that is to be said of a run.
  ///
  /// @param broken why the run as a whole failed, empty if it did not
  /// @return whether nothing failed
  static boolean summary(TestRun run, String broken, PrintStream out) {
    return new TestReport(run, out).print(broken);
  }

  private boolean print(String broken) {
    run.notes().forEach(out::println);
    skipped(run.ended(Kind.SKIPPED));
    run.unstable().forEach(this::unstable);
    List<TestOutcome> failures = run.ended(Kind.FAILED);
    failures.forEach(this::failure);
    run.unreadable().forEach(why -> out.println("failed: " + why));
    int failed = failures.size() + run.unreadable().size();
    int passed = run.ended(Kind.PASSED).size() + run.unstable().size();
    if (failed == 0 && !broken.isEmpty()) {
      out.println("failed: " + broken);
      failed = 1;
    } else if (failed == 0 && passed == 0) {
      out.println("failed: no test ran");
      failed = 1;
    }
    out.println();
    int skipped = run.ended(Kind.SKIPPED).size();
    out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
    return failed == 0;
  }

  /// A class that was skipped as a whole is one line.
  private void skipped(List<TestOutcome> tests) {
    Map<String, List<TestOutcome>> alike = new LinkedHashMap<>();
    for (TestOutcome test : tests) {
      String key = test.className() + ": " + test.message();
      alike.computeIfAbsent(key, _ -> new ArrayList<>()).add(test);
    }
    for (List<TestOutcome> group : alike.values()) {
      TestOutcome first = group.getFirst();
      if (group.size() < LEAST_ALIKE) {
        group.forEach(test -> out.println("skipped: " + test + ": " + test.message()));
      } else {
        String what = first.className() + ", " + group.size() + " tests: ";
        out.println("skipped: " + what + first.message());
      }
    }
  }

  private void unstable(TestOutcome test) {
    out.println("unstable: " + test + " failed, and passed when it ran once more, alone:");
    detail(test);
  }

  private void failure(TestOutcome test) {
    if (++detailed > MOST_DETAILS) {
      out.println("failed: " + test + ": " + ReportFile.cut(test.message()));
    } else {
      out.println("failed: " + test);
      detail(test);
    }
  }

  /// The head of a stack: its message, then frames of ours and causes; then lines about a seed.
  private void detail(TestOutcome test) {
    String text = test.detail().isEmpty() ? test.message() : test.detail();
    int kept = 0;
    for (String line : text.lines().toList()) {
      boolean frame = line.strip().startsWith("at ");
      boolean wanted =
          frame
              ? line.contains("sluice")
              : (!line.isBlank() && kept < LINES_OF_MESSAGE) || line.startsWith("Caused");
      if (wanted && kept < LINES_OF_DETAIL) {
        out.println("    " + ReportFile.cut(frame ? "    " + line.strip() : line));
        kept++;
      }
    }
    test.seeds().forEach(line -> out.println("    printed: " + line));
  }
}
