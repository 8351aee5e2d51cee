package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import sluice.acceptance.JdkTest.Action;
import sluice.testkit.Slice;

/// The JDK's own tests of channels and selectors: on our engines nothing fails that passes on the
/// JDK.
///
/// Their sources are no part of this tree. `jdk-tests.sh` fetches them from the machine's package
/// source, or `SLUICE_JDK_TESTS` names the `test` directory of a JDK's sources. Runs a [Slice] of
/// them; `-Dsluice.jdk.only=TEXT` those whose name has the text.
@Tag("acceptance")
class JdkChannelTest {
  private static final Path TARGET = Path.of("target", "jdk-tests").toAbsolutePath();
  private static final List<String> KINDS = List.of("main", "junit", "testng");

  /// Directories of `jdk/java/nio/channels` that use selector providers, and its own files.
  private static final List<String> DIRECTORIES =
      List.of(
          "Selector",
          "SelectionKey",
          "SocketChannel",
          "ServerSocketChannel",
          "DatagramChannel",
          "Pipe",
          "unixdomain",
          "etc",
          "vthread",
          "Channels",
          "spi");

  /// Tests that cannot pass on our own channels, and why: see docs/compatibility.md.
  private static final Map<String, String> NOT_ON_COMPLETION =
      Map.of(
          "SocketChannel/PeerReadsAfterAsyncClose",
          "waits until a thread is inside sun.nio.ch.SocketChannelImpl",
          "DatagramChannel/InterruptibleOrNot",
          "waits until a thread is inside a channel of sun.nio.ch.DefaultSelectorProvider",
          "DatagramChannel/AdaptorBasic",
          "compares a private field of java.net.DatagramPacket",
          "Channels/SocketChannelStreams",
          "a stream of java.nio.channels.Channels holds blockingLock() while it reads");

  @TestFactory
  Stream<DynamicTest> nothingFailsThatPassesOnTheJdk() throws Exception {
    Path root = sources();
    Path channels = root.resolve("jdk/java/nio/channels");
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(channels)) {
      files.addAll(found.filter(file -> file.toString().endsWith(".java")).toList());
    }
    for (String directory : DIRECTORIES) {
      if (Files.isDirectory(channels.resolve(directory))) {
        try (Stream<Path> found = Files.walk(channels.resolve(directory))) {
          files.addAll(found.filter(file -> file.toString().endsWith(".java")).toList());
        }
      }
    }
    String only = System.getProperty("sluice.jdk.only", "");
    List<DynamicTest> tests = new ArrayList<>();
    for (Path file : files.stream().sorted().toList()) {
      String name = channels.relativize(file).toString().replace(".java", "");
      JdkTest test = JdkTest.parse(file, root);
      for (int i = 0; i < test.actions().size() && name.contains(only); i++) {
        int number = i;
        tests.add(DynamicTest.dynamicTest(name + " " + i, () -> compare(name, test, number)));
      }
    }
    assertThat(tests).isNotEmpty();
    return Slice.current().seeds(tests.size()).mapToObj(i -> tests.get((int) i));
  }

  private static void compare(String name, JdkTest test, int number) throws Exception {
    Action action = test.actions().get(number);
    if (!KINDS.contains(action.kind())) {
      abort("needs the JDK's test harness: @run " + action.kind());
    }
    Path directory = TARGET.resolve(name).resolve(String.valueOf(number));
    Path classes = directory.resolve("classes");
    String problems = compile(test, classes);
    if (!problems.isEmpty()) {
      abort("does not compile here: " + problems.lines().findFirst().orElse(""));
    }
    Attempts.Runner runner =
        (engine, attempt, _) -> {
          EngineRun run = run(engine, test, action, directory.resolve(String.valueOf(attempt)));
          return passes(run) ? Set.of() : Set.of(name + " " + number);
        };
    if (!runner.failures(EngineRun.CONTROL, 1, Set.of()).isEmpty()) {
      abort("the control, the JDK itself, does not pass here");
    }
    for (String engine : EngineRun.ENGINES) {
      String why = NOT_ON_COMPLETION.get(name);
      if (engine.equals("completion") && why != null) {
        System.out.println("not on completion: " + name + " " + why);
        continue;
      }
      if (!Attempts.differences(engine, Set.of(), runner).isEmpty()) {
        throw new AssertionError(
            "fails on " + engine + ", passes on the JDK:\n" + log(engine, directory).tail());
      }
    }
  }

  /// The first attempt, which failed if there was another.
  private static EngineRun log(String engine, Path directory) {
    return new EngineRun(engine, List.of(), List.of(), directory.resolve("1"));
  }

  private static boolean passes(EngineRun run) throws IOException {
    return Files.readString(run.directory().resolve(run.engine() + ".exit")).equals("0");
  }

  private static EngineRun run(String engine, JdkTest test, Action action, Path directory)
      throws IOException, InterruptedException {
    Path classes = directory.resolveSibling("classes");
    List<String> options = new ArrayList<>(test.modules());
    options.add("-Dtest.src=" + test.directory());
    options.add("-Dtest.classes=" + classes);
    options.add("-Dtest.class.path=" + classes);
    options.add("-Dtest.jdk=" + System.getProperty("java.home"));
    options.addAll(action.options());
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
    int exit = run.run(program, action.seconds());
    Files.writeString(directory.resolve(engine + ".exit"), String.valueOf(exit));
    return run;
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
            EngineRun.classPathOfThis(),
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
  private static Path sources() throws Exception {
    String named = System.getenv("SLUICE_JDK_TESTS");
    Path root = named == null ? TARGET.resolve("sources/test") : Path.of(named);
    if (named == null && !Files.isDirectory(root.resolve("jdk"))) {
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
                + ", or set"
                + " SLUICE_JDK_TESTS to the test directory of some");
      }
    }
    assertThat(root.resolve("jdk/java/nio/channels")).isDirectory();
    return root;
  }
}
