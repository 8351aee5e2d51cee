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
import sluice.acceptance.suites.JdkTest.Action;
import sluice.testbase.Slice;

/// The JDK's own tests of `java.nio.file` in an ext2 file system that is the default one of their
/// JVM: nothing fails that passes on the JDK.
///
/// Their sources come as those of [JdkChannelTest]. Runs a [Slice] of them;
/// `-Dsluice.jdk.only=TEXT` those whose name has the text.
@Tag("acceptance")
class JdkFileTest {
  private static final String EXT2 = "ext2";
  private static final Path TARGET = JdkTests.TARGET.resolve("file");

  private static final String JAVA_IO = "looks with java.io, which sees the host's files";
  private static final String DEFAULT = "is about default providers";
  private static final String PROC = "reads what the kernel shows below /proc";

  /// Tests that cannot pass on a file system that is not the host's, and why.
  private static final Map<String, String> NOT_INSIDE =
      Map.ofEntries(
          Map.entry("FileSystem/Basic", "wants a default file system that cannot be closed"),
          Map.entry("Files/BytesAndLines", PROC),
          Map.entry(
              "Files/CallWithInterruptSet",
              "wants interrupts switched off in a channel, which the JDK does for its own class"),
          Map.entry("Files/CopyAndMove", JAVA_IO),
          Map.entry("Files/CopyProcFile", PROC),
          Map.entry("Files/DeleteOnClose", "starts a JVM that has the host's files"),
          Map.entry("Files/InputStreamTest", "makes a pipe with mkfifo(1)"),
          Map.entry("Files/Mismatch", JAVA_IO),
          Map.entry("Files/SetLastModifiedTime", JAVA_IO),
          Map.entry("Files/walkFileTree/FindTest", "compares with find(1)"),
          Map.entry("Path/UriImportExport", "wants URIs of scheme file"),
          Map.entry("attribute/BasicFileAttributeView/Basic", JAVA_IO),
          Map.entry(
              "attribute/BasicFileAttributeView/SetTimesNanos",
              "knows file systems by their names"),
          Map.entry("attribute/BasicFileAttributeView/UnixSocketFile", "watches a directory"),
          Map.entry("spi/SetDefaultProvider", DEFAULT),
          Map.entry("spi/TestDelegation", DEFAULT),
          Map.entry("spi/CustomSystemClassLoader", DEFAULT));

  @TestFactory
  Stream<DynamicTest> nothingFailsThatPassesOnTheJdk() throws Exception {
    Path root = JdkTests.sources("jdk/java/nio/file");
    Path all = root.resolve("jdk/java/nio/file");
    List<Path> files;
    try (Stream<Path> found = Files.walk(all)) {
      files = found.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
    String only = System.getProperty("sluice.jdk.only", "");
    List<DynamicTest> tests = new ArrayList<>();
    for (Path file : files) {
      String name = all.relativize(file).toString().replace(".java", "");
      JdkTest test = JdkTest.parse(file, root);
      boolean wanted = name.contains(only) && !name.startsWith("WatchService/");
      for (int i = 0; i < test.actions().size() && wanted; i++) {
        int number = i;
        tests.add(DynamicTest.dynamicTest(name + " " + i, () -> compare(name, test, number)));
      }
    }
    assertThat(tests).isNotEmpty();
    return Slice.current().seeds(tests.size()).mapToObj(i -> tests.get((int) i));
  }

  private static void compare(String name, JdkTest test, int number) throws Exception {
    String why = NOT_INSIDE.get(name);
    if (why != null) {
      abort("not inside an image: " + why);
    }
    Action action = test.actions().get(number);
    Path directory = TARGET.resolve(name).resolve(String.valueOf(number));
    JdkTests.prepare(test, action, directory.resolve("classes"));
    Attempts.Runner runner =
        (ground, attempt, _) -> {
          Path attempts = directory.resolve(String.valueOf(attempt));
          List<String> options = ground.equals(EXT2) ? inside() : List.of();
          boolean passes = JdkTests.passes(ground, test, action, attempts, options);
          return passes ? Set.of() : Set.of(name + " " + number);
        };
    if (!runner.failures(EngineRun.CONTROL, 1, Set.of()).isEmpty()) {
      abort("the control, the JDK itself, does not pass here");
    }
    if (!Attempts.differences(EXT2, Set.of(), runner).isEmpty()) {
      throw new AssertionError(
          "fails inside an image, passes on the JDK:\n" + JdkTests.log(EXT2, directory).tail());
    }
  }

  private static List<String> inside() {
    return List.of(
        "-Dsluice.nio.engine=" + EngineRun.CONTROL,
        "-Djava.nio.file.spi.DefaultFileSystemProvider=" + Ext2AsDefault.class.getName());
  }
}
