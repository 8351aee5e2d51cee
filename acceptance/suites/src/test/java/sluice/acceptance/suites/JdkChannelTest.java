package sluice.acceptance.suites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import sluice.acceptance.suites.JdkTest.Action;
import sluice.testbase.Slice;

/// The JDK's own tests of channels and selectors: on our engines nothing fails that passes on the
/// JDK.
///
/// Their sources are no part of this tree. `jdk-tests.sh` fetches them from the machine's package
/// source, or `SLUICE_JDK_TESTS` names the `test` directory of a JDK's sources. Runs a [Slice] of
/// them; `-Dsluice.jdk.only=TEXT` those whose name has the text.
@Tag("acceptance")
@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^6]",
    disabledReason = "in continuous integration this suite has every seventh day")
class JdkChannelTest {
  private static final Path TARGET = JdkTests.TARGET.resolve("channels");

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

  /// Tests in other directories that transfer between a file and a channel of the provider.
  private static final List<String> TRANSFERS =
      List.of(
          "FileChannel/CloseDuringTransfer",
          "FileChannel/ClosedChannelTransfer",
          "FileChannel/TransferFromExtend",
          "FileChannel/TransferToChannel");

  /// Methods of tests that no channel but the JDK's can pass, and why: see docs/compatibility.md.
  /// The other methods of these tests run.
  private static final Map<String, String> NOT_ON_COMPLETION =
      Map.of(
          // waits until the thread is inside a method of sun.nio.ch.SocketChannelImpl
          "SocketChannel/PeerReadsAfterAsyncClose",
          "testCloseDuringSocketChannelRead",
          // waits until a thread inside a channel of sun.nio.ch.DefaultSelectorProvider is inside
          // the class of those that the default provider makes
          "DatagramChannel/InterruptibleOrNot",
          "testInterruptBeforeUninterruptibleReceive");

  @TestFactory
  Stream<DynamicTest> nothingFailsThatPassesOnTheJdk() throws Exception {
    Path root = JdkTests.sources("jdk/java/nio/channels");
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
    for (String name : TRANSFERS) {
      Path file = channels.resolve(name + ".java");
      if (Files.exists(file)) { // not every JDK has all of them
        files.add(file);
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
    Path directory = TARGET.resolve(name).resolve(String.valueOf(number));
    Path classes = directory.resolve("classes");
    JdkTests.prepare(test, action, classes);
    Attempts.Runner runner =
        (engine, attempt, _) -> {
          Path attempts = directory.resolve(String.valueOf(attempt));
          String without = NOT_ON_COMPLETION.get(name);
          List<String> more =
              engine.equals("completion") && without != null
                  ? List.of("-Dsluice.suite.without=" + without)
                  : List.of();
          boolean passes = JdkTests.passes(engine, test, action, attempts, more);
          return passes ? Set.of() : Set.of(name + " " + number);
        };
    if (!runner.failures(EngineRun.CONTROL, 1, Set.of()).isEmpty()) {
      abort("the control, the JDK itself, does not pass here");
    }
    for (String engine : EngineRun.ENGINES) {
      if (!Attempts.differences(engine, Set.of(), runner).isEmpty()) {
        throw new AssertionError(
            "fails on "
                + engine
                + ", passes on the JDK:\n"
                + JdkTests.log(engine, directory).tail());
      }
    }
  }
}
