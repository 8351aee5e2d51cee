package sluice.acceptance.suites;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs test classes in a JVM of their own and writes down how each test ended. Started by
/// [EngineRun], and in a guest of another architecture, with the name of a file for the results,
/// then the names of the classes.
final class SuiteMain {
  private SuiteMain() {}

  /// Lines of `STATUS ID`, in the order in which tests ended.
  private static final class Recorder implements TestExecutionListener {
    private final List<String> lines = new ArrayList<>();

    /// Tells where a suite is, for a look at a hanging one.
    @Override
    public void executionStarted(TestIdentifier test) {
      if (test.isContainer() && test.getSource().orElse(null) instanceof ClassSource source) {
        System.out.println("begins: " + source.getClassName());
      }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
      boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
      if (test.isTest() || failed) {
        lines.add(result.getStatus() + " " + test.getUniqueId());
      }
      if (failed) {
        System.out.println("failed: " + test.getUniqueId());
        result.getThrowable().ifPresent(Throwable::printStackTrace);
      }
    }

    synchronized boolean hasFailures() {
      return lines.isEmpty() || lines.stream().anyMatch(line -> line.startsWith("FAILED"));
    }

    /// Not by `java.nio.file`: the suite may have put another file system in its place.
    synchronized void write(String file) throws IOException {
      try (PrintWriter out = new PrintWriter(file, StandardCharsets.UTF_8)) {
        lines.forEach(out::println);
      }
    }
  }

  /// One class, without the tests whose names the property `sluice.suite.without`, a regular
  /// expression, finds.
  private static LauncherDiscoveryRequest request(String name) {
    Pattern without = Pattern.compile(System.getProperty("sluice.suite.without", "(?!)"));
    PostDiscoveryFilter filter =
        test -> FilterResult.includedIf(!without.matcher(test.getUniqueId().toString()).find());
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectClass(name))
        .filters(filter)
        .configurationParameter("junit.jupiter.execution.timeout.default", "120 s")
        .build();
  }

  /// Classes that have not begun when the seconds of the property `sluice.suite.seconds` are over
  /// are named and left out.
  ///
  /// @param arguments the file for the results, then names of classes
  public static void main(String[] arguments) throws IOException {
    long begin = System.nanoTime();
    long limit = TimeUnit.SECONDS.toNanos(Long.getLong("sluice.suite.seconds", 1_000_000));
    Recorder recorder = new Recorder();
    Launcher launcher = LauncherFactory.create();
    for (String name : Arrays.asList(arguments).subList(1, arguments.length)) {
      if (System.nanoTime() - begin < limit) {
        launcher.execute(request(name), recorder);
      } else {
        System.out.println("no time for: " + name);
      }
    }
    recorder.write(arguments[0]);
    // Threads of the suites may still run.
    System.exit(recorder.hasFailures() ? 1 : 0);
  }
}
