package sluice.acceptance.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.Main;
import sluice.testbase.Child;

/// Runs all races of this package, in JVMs of their own with the launcher's flags for safepoints.
/// `-Dsluice.stress=default` and `tough` are longer runs than `quick`.
@Tag("acceptance")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
final class StressTest {
  private static final String MODE = System.getProperty("sluice.stress", "quick");
  private static final Path DIRECTORY = Path.of("target", "jcstress").toAbsolutePath();
  private static final Pattern VERDICT =
      Pattern.compile("(?m)^\\.+ \\[(\\w+)\\] sluice\\.acceptance\\.stress\\.(\\w+)$");

  /// @param exit jcstress's own verdict
  /// @param output of jcstress
  private record Run(int exit, String output) {
    Set<String> tests(String verdict) {
      Set<String> tests = new TreeSet<>();
      Matcher matcher = VERDICT.matcher(output);
      while (matcher.find()) {
        if (matcher.group(1).equals(verdict)) {
          tests.add(matcher.group(2));
        }
      }
      return tests;
    }
  }

  @Test
  void noForbiddenOutcomeIsSeenButThatOfTheRace() throws IOException, InterruptedException {
    Run run = run();
    assertThat(run.tests("FAILED")).as(run.output).containsExactly("RaceStress");
    assertThat(run.tests("OK")).as(run.output).isEqualTo(tests());
    assertThat(run.exit).as(run.output).isNotZero();
  }

  private static Set<String> tests() throws IOException {
    Set<String> tests = new TreeSet<>();
    Path classes = Path.of("target", "test-classes", "sluice", "acceptance", "stress");
    try (var files = Files.newDirectoryStream(classes, "*Stress.class")) {
      files.forEach(file -> tests.add(file.getFileName().toString().replace(".class", "")));
    }
    tests.remove("RaceStress");
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  /// A short stride, since most states wait for the two threads to meet; and whichever processor is
  /// free, since other processes have some.
  private static Run run() throws IOException, InterruptedException {
    Files.createDirectories(DIRECTORY);
    Path log = Files.createTempFile(DIRECTORY, "jcstress", ".txt");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            Child.classPath(),
            Main.class.getName(),
            "-v",
            "-m",
            MODE,
            "-c",
            "2",
            "-af",
            "NONE",
            "-sc",
            "false",
            "-strideSize",
            "8",
            "-r",
            DIRECTORY.resolve("report").toString(),
            "-jvmArgs",
            "--enable-native-access=ALL-UNNAMED -XX:+UseCountedLoopSafepoints"
                + " -XX:LoopStripMiningIter=1000");
    Process process =
        new ProcessBuilder(command)
            .directory(DIRECTORY.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      return new Run(process.waitFor(), Files.readString(log));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
