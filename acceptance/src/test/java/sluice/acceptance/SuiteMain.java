package sluice.acceptance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    synchronized void write(Path file) throws IOException {
      Files.write(file, lines);
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
    recorder.write(Path.of(arguments[0]));
    // Threads of the suites may still run.
    System.exit(recorder.hasFailures() ? 1 : 0);
  }
}
