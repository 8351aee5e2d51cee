package sluice.testbase.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import sluice.testbase.report.TestOutcome.Kind;

/// All reports of one run of the tests: of the run itself and, for classes with failures, of a
/// second run of the class alone. Used by one thread.
final class TestRun {
  private final List<ReportFile> reports = new ArrayList<>();
  private final List<String> unreadable = new ArrayList<>();
  private final Set<String> passedAlone = new HashSet<>();

  /// Reads every report below `root` that is newer than `started`.
  static TestRun read(Path root, FileTime started) throws IOException {
    TestRun run = new TestRun();
    try (Stream<Path> files = Files.find(root, 6, (file, _) -> isReport(file))) {
      files
          .sorted()
          .forEach(file -> {
            try {
              run.add(root, file, started);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    run.judgeSecondRuns();
    return run;
  }

  private static boolean isReport(Path file) {
    Path parent = file.getParent();
    String name = file.getFileName().toString();
    return name.startsWith("TEST-")
        && name.endsWith(".xml")
        && parent != null
        && parent.endsWith("surefire-reports");
  }

  private void add(Path root, Path file, FileTime started) throws IOException {
    if (Files.getLastModifiedTime(file).compareTo(started) < 0) {
      return;
    }
    Path module = root.relativize(file).getParent();
    for (int i = 0; i < 2 && module != null; i++) { // target/surefire-reports
      module = module.getParent();
    }
    try {
      reports.add(ReportFile.read(module == null ? "" : module.toString(), file));
    } catch (IOException e) {
      unreadable.add(e.getMessage());
    }
  }

  private void judgeSecondRuns() {
    for (ReportFile report : reports) {
      for (TestOutcome test : report.again() ? report.outcomes() : List.<TestOutcome>of()) {
        if (test.kind() == Kind.PASSED) {
          passedAlone.add(test.toString());
        }
      }
    }
  }

  /// Reports that could not be read: each is a failure.
  List<String> unreadable() {
    return unreadable;
  }

  /// Tests of the first run that ended so, without those that passed when they ran alone.
  List<TestOutcome> ended(Kind kind) {
    List<TestOutcome> found = new ArrayList<>();
    for (TestOutcome test : firstRun()) {
      if (test.kind() == kind && !isUnstable(test)) {
        found.add(test);
      }
    }
    return found;
  }

  /// Tests that failed, and passed when their class ran once more, alone.
  List<TestOutcome> unstable() {
    return firstRun().stream().filter(this::isUnstable).toList();
  }

  private boolean isUnstable(TestOutcome test) {
    return test.kind() == Kind.FAILED && passedAlone.contains(test.toString());
  }

  private List<TestOutcome> firstRun() {
    List<TestOutcome> all = new ArrayList<>();
    for (ReportFile report : reports) {
      if (!report.again()) {
        all.addAll(report.outcomes());
      }
    }
    return all;
  }

  List<String> notes() {
    return reports.stream().flatMap(report -> report.notes().stream()).toList();
  }

  /// Seconds that each class took, its nested classes included, in the first run; infinitely many
  /// when all its tests were skipped.
  Map<String, Double> classSeconds() {
    Map<String, Double> seconds = new HashMap<>();
    for (ReportFile report : reports) {
      if (!report.again() && !report.outcomes().isEmpty()) {
        boolean ran = report.outcomes().stream().anyMatch(test -> test.kind() != Kind.SKIPPED);
        seconds.merge(
            report.outcomes().getFirst().topLevelClass(),
            ran ? report.seconds() : Double.POSITIVE_INFINITY,
            Double::sum);
      }
    }
    return seconds;
  }

  /// Classes with failures and the module of each, in the order of the reports.
  Map<String, String> failedClasses() {
    Map<String, String> modules = new LinkedHashMap<>();
    for (ReportFile report : reports) {
      for (TestOutcome test : report.again() ? List.<TestOutcome>of() : report.outcomes()) {
        if (test.kind() == Kind.FAILED) {
          modules.putIfAbsent(test.topLevelClass(), report.module());
        }
      }
    }
    return modules;
  }
}
