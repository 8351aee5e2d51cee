package sluice.acceptance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs test classes in a JVM of their own and writes down how each test ended. Started by
/// [EngineRun], with the name of a file for the results, then the names of the classes.
final class SuiteMain {
  private SuiteMain() {}

  /// Lines of `STATUS ID`, in the order in which tests ended.
  private static final class Recorder implements TestExecutionListener {
    private final List<String> lines = new ArrayList<>();

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

  /// @param arguments the file for the results, then names of classes
  public static void main(String[] arguments) throws IOException {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(arguments).skip(1).map(name -> selectClass(name)).toList())
            .configurationParameter("junit.jupiter.execution.timeout.default", "120 s")
            .build();
    Recorder recorder = new Recorder();
    LauncherFactory.create().execute(request, recorder);
    recorder.write(arguments[0]);
    // Threads of the suites may still run.
    System.exit(recorder.hasFailures() ? 1 : 0);
  }
}
