package sluice.acceptance.suites;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Child;
import sluice.testbase.Slice;

/// Netty's own tests of its NIO transport: on our engines nothing fails that passes on the JDK.
///
/// Without `DefaultEventLoopTest`, whose loop has no channels of the kernel: what fails there is
/// the time of a busy machine. All classes take two minutes per engine, so an ordinary run does a
/// [Slice] of them.
@Timeout(3600)
class NettyTransportTest {
  private static final Pattern CLASSES =
      Pattern.compile(
          "io/netty/testsuite/transport/(socket/)?(?!Abstract|DefaultEventLoop)\\w+Test\\.class");
  private static final long SECONDS = 900;

  @Test
  void nothingFailsThatPassesOnTheJdk() throws Exception {
    List<String> classes = classes();
    assertThat(classes).isNotEmpty();
    Set<String> control = failures(EngineRun.CONTROL, 1, classes);
    for (String engine : EngineRun.ENGINES) {
      Set<String> differences =
          Attempts.differences(
              engine,
              control,
              (on, attempt, only) ->
                  failures(on, attempt, only.isEmpty() ? classes : classesOf(only)));
      assertThat(differences).as("fails on %s, passes on the JDK", engine).isEmpty();
    }
  }

  /// The classes of this run's slice.
  private static List<String> classes() throws IOException {
    String jar =
        Stream.of(Child.classPath().split(":", -1))
            .filter(entry -> entry.contains("netty-testsuite"))
            .findFirst()
            .orElseThrow();
    List<String> names;
    try (JarFile file = new JarFile(jar)) {
      names =
          file.stream()
              .map(entry -> entry.getName())
              .filter(name -> CLASSES.matcher(name).matches())
              .map(name -> name.replace('/', '.').replaceAll("\\.class$", ""))
              .sorted()
              .toList();
    }
    return Slice.current().seeds(names.size()).mapToObj(i -> names.get((int) i)).toList();
  }

  private static List<String> classesOf(Set<String> tests) {
    Set<String> names = new TreeSet<>();
    for (String test : tests) {
      names.add(test.replaceAll(".*\\[class:([^\\]]+)\\].*", "$1"));
    }
    return List.copyOf(names);
  }

  private static Set<String> failures(String engine, int attempt, List<String> classes)
      throws Exception {
    Path directory = Path.of("target", "netty", String.valueOf(attempt)).toAbsolutePath();
    EngineRun run = new EngineRun(engine, List.of(), List.of(), directory);
    Path results = directory.resolve(engine + ".results");
    Files.deleteIfExists(results);
    List<String> program = new ArrayList<>(List.of(SuiteMain.class.getName(), results.toString()));
    program.addAll(classes);
    int exit = run.run(program, SECONDS);
    assertThat(results).as("exit code %s, %s", exit, run.log()).exists();
    List<String> lines = Files.readAllLines(results);
    assertThat(lines).as("%s", run.log()).anyMatch(line -> line.startsWith("SUCCESSFUL"));
    Set<String> failed = new TreeSet<>();
    for (String line : lines) {
      if (line.startsWith("FAILED ")) {
        failed.add(line.substring("FAILED ".length()));
      }
    }
    System.out.printf("%s: %d tests, %d failed%n", engine, lines.size(), failed.size());
    return failed;
  }
}
