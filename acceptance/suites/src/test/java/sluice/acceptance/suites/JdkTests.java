package sluice.acceptance.suites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import sluice.acceptance.suites.JdkTest.Action;
import sluice.testbase.Child;

/// Fetches, compiles and runs tests of the JDK. Stateless: any thread may use it.
final class JdkTests {
  /// What is fetched and compiled goes below it.
  static final Path TARGET = Path.of("target", "jdk-tests").toAbsolutePath();

  private static final List<String> KINDS = List.of("main", "junit", "testng");

  private JdkTests() {}

  /// Compiles a test, or aborts with the reason why it cannot be run here.
  static void prepare(JdkTest test, Action action, Path classes) throws IOException {
    if (!KINDS.contains(action.kind())) {
      abort("needs the JDK's test harness: @run " + action.kind());
    }
    String problems = compile(test, classes);
    if (!problems.isEmpty()) {
      abort("does not compile here: " + problems.lines().findFirst().orElse(""));
    }
  }

  /// Runs one action in a JVM of its own.
  ///
  /// @param directory its working directory, beside the classes
  /// @param more options of the JVM
  static boolean passes(
      String engine, JdkTest test, Action action, Path directory, List<String> more)
      throws IOException, InterruptedException {
    Path classes = directory.resolveSibling("classes");
    List<String> options = new ArrayList<>(test.modules());
    options.add("-Dtest.src=" + test.directory());
    options.add("-Dtest.classes=" + classes);
    options.add("-Dtest.class.path=" + classes);
    options.add("-Dtest.jdk=" + System.getProperty("java.home"));
    options.addAll(action.options());
    options.addAll(more);
    List<String> program = new ArrayList<>();
    switch (action.kind()) {
      case "junit" -> {
        program.add(SuiteMain.class.getName());
        program.add(directory.resolve(engine + ".results").toString());
      }
      case "testng" ->
          program.addAll(
              List.of(
                  "org.testng.TestNG",
                  "-usedefaultlisteners",
                  "false",
                  "-verbose",
                  "2",
                  "-d",
                  directory.resolve("testng").toString(),
                  "-testclass"));
      default -> program.add(PlainMain.class.getName());
    }
    program.addAll(action.arguments());
    EngineRun run =
        new EngineRun(engine, List.of(classes), options, Files.createDirectories(directory));
    return run.run(program, action.seconds()) == 0;
  }

  /// The first attempt, which failed if there was another.
  static EngineRun log(String engine, Path directory) {
    return new EngineRun(engine, List.of(), List.of(), directory.resolve("1"));
  }

  /// @return the compiler's complaints, empty when it had none
  private static String compile(JdkTest test, Path classes) throws IOException {
    Files.createDirectories(classes);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options = new ArrayList<>(test.modules());
    options.removeIf(option -> option.startsWith("--add-opens"));
    List<String> sources = new ArrayList<>(List.of(test.directory().toString()));
    test.libraries().forEach(library -> sources.add(library.toString()));
    options.addAll(
        List.of(
            "-nowarn",
            "-proc:none",
            "-implicit:class",
            "-d",
            classes.toString(),
            "-cp",
            Child.classPath(),
            "-sourcepath",
            String.join(":", sources)));
    StringWriter problems = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  problems,
                  files,
                  null,
                  options,
                  null,
                  files.getJavaFileObjectsFromPaths(test.sources()))
              .call();
      return done ? "" : problems + " ";
    }
  }

  /// The `test` directory of a JDK's sources.
  ///
  /// @param needed directory in it
  static Path sources(String needed) throws IOException, InterruptedException {
    String named = System.getenv("SLUICE_JDK_TESTS");
    Path root = named == null ? TARGET.resolve("sources/test") : Path.of(named);
    if (named == null && !Files.isDirectory(root.resolve(needed))) {
      Files.createDirectories(TARGET);
      Process script =
          new ProcessBuilder("sh", "jdk-tests.sh", TARGET.resolve("sources").toString())
              .redirectErrorStream(true)
              .redirectOutput(TARGET.resolve("fetch.log").toFile())
              .start();
      if (script.waitFor() != 0) {
        abort(
            "no sources of a JDK: see "
                + TARGET.resolve("fetch.log")
                + ", or set SLUICE_JDK_TESTS to the test directory of some");
      }
    }
    assertThat(root.resolve(needed)).isDirectory();
    return root;
  }
}
