package sluice.testbase.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.report.QuickTests.Choice;

/// A tree of four modules: http needs loop, cli needs http, fs needs none of them.
final class QuickTestsTest {
  private static final FileTime GREEN = FileTime.fromMillis(1_000_000);
  private static final FileTime BEFORE = FileTime.fromMillis(500_000);
  private static final FileTime AFTER = FileTime.fromMillis(1_500_000);

  @TempDir Path root;

  @BeforeEach
  void tree() throws IOException {
    write(
        "pom.xml",
        "<project><modules><module>loop</module><module>fs</module><module>http</module>"
            + "<module>cli</module></modules><profiles><profile><modules><module>far</module>"
            + "</modules></profile></profiles></project>");
    module("loop", "");
    module("fs", "");
    module("http", "loop");
    module("cli", "http");
    test("loop", "a.LoopTest", "12.5");
    test("fs", "b.FilesTest", "1");
    test("http", "c.ShortTest", "2");
    test("http", "c.LongTest", "1,040.5");
    test("cli", "d.CommandTest", "20");
    test("cli", "sluice.cli.TidyTest", "4");
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, BEFORE);
      }
    }
  }

  @Test
  void nothingIsChosenWhenNothingHasChanged() throws IOException {
    Choice choice = choose(60);
    assertThat(choice.modules()).isEmpty();
    assertThat(choice.classes()).isEmpty();
  }

  @Test
  void aChangedModuleIsTestedAndThenThoseThatNeedIt() throws IOException {
    touch("http/src/main/java/c/Short.java");
    Choice choice = choose(60);
    assertThat(choice.modules()).containsExactly("http", "cli");
    assertThat(choice.classes())
        .containsExactly("sluice.cli.TidyTest", "c.ShortTest", "d.CommandTest");
    assertThat(choice.told())
        .containsExactly(
            "changed: http; depending on it: cli",
            "left to the full run: 1 classes of 1041 s together (LongTest)");
  }

  @Test
  void modulesBehindOthersAreFound() throws IOException {
    touch("loop/pom.xml");
    assertThat(choose(60).modules()).containsExactly("loop", "http", "cli");
    assertThat(choose(13).classes()).contains("a.LoopTest").doesNotContain("d.CommandTest");
  }

  @Test
  void anEditedTestRunsWhateverItTakes() throws IOException {
    touch("http/src/test/java/c/LongTest.java");
    assertThat(choose(60).classes()).containsExactly("sluice.cli.TidyTest", "c.LongTest");
  }

  @Test
  void whatFailedLastRunsFirst() throws IOException {
    touch("http/src/main/java/c/Short.java");
    write(
        "http/target/surefire-reports/TEST-c.LongTest.xml",
        "<testsuite time=\"40\"><testcase name=\"x\" classname=\"c.LongTest\">"
            + "<failure message=\"m\">stack</failure></testcase></testsuite>");
    assertThat(choose(41).classes()).containsExactly("sluice.cli.TidyTest", "c.LongTest");
  }

  @Test
  void aContractComesBeforeShorterTests() throws IOException {
    test("http", "c.SiteContractTest", "30");
    touch("http/src/main/java/c/Short.java");
    Files.setLastModifiedTime(root.resolve("http/src/test/java/c/SiteContractTest.java"), BEFORE);
    for (String folder : new String[] {"", "/java", "/java/c"}) {
      Files.setLastModifiedTime(root.resolve("http/src/test" + folder), BEFORE);
    }
    assertThat(choose(31).classes()).containsExactly("sluice.cli.TidyTest", "c.SiteContractTest");
  }

  @Test
  void aClassThatWasSkippedAsAWholeIsLeftOut() throws IOException {
    touch("http/src/main/java/c/Short.java");
    write(
        "http/target/surefire-reports/TEST-c.ShortTest.xml",
        "<testsuite time=\"0\"><testcase name=\"x\" classname=\"c.ShortTest\">"
            + "<skipped message=\"m\"/></testcase></testsuite>");
    Choice choice = choose(60);
    assertThat(choice.classes()).doesNotContain("c.ShortTest");
    assertThat(choice.told())
        .contains("left to the full run: 2 classes of 1041 s together (ShortTest, LongTest)");
  }

  @Test
  void aFileThatIsGoneIsAChange() throws IOException {
    Path source = root.resolve("fs/src/main/java/c");
    Files.delete(source.resolve("Short.java"));
    assertThat(choose(60).modules()).containsExactly("fs", "cli");
  }

  @Test
  void theRulesOfTheTreeAndAClassWithoutReportAlwaysRun() throws IOException {
    Files.delete(root.resolve("fs/target/surefire-reports/TEST-b.FilesTest.xml"));
    touch("fs/src/main/java/c/Short.java");
    assertThat(choose(2).classes()).containsExactly("sluice.cli.TidyTest", "b.FilesTest");
  }

  @Test
  void theLauncherBelongsToTheCommandsAndTheProjectToAll() throws IOException {
    write("sluice", "#!/bin/sh");
    assertThat(choose(60).modules()).containsExactly("cli");
    touch("pom.xml");
    assertThat(choose(60).modules()).containsExactly("loop", "fs", "http", "cli");
  }

  private Choice choose(double seconds) throws IOException {
    return QuickTests.choose(root, GREEN, seconds);
  }

  private void module(String name, String needs) throws IOException {
    write(
        name + "/pom.xml",
        "<project><artifactId>sluice-"
            + name
            + "</artifactId><dependencies>"
            + (needs.isEmpty()
                ? ""
                : "<dependency><artifactId>sluice-" + needs + "</artifactId></dependency>")
            + "</dependencies></project>");
    write(name + "/src/main/java/c/Short.java", "class Short {}");
  }

  private void test(String module, String name, String seconds) throws IOException {
    write(module + "/src/test/java/" + name.replace('.', '/') + ".java", "class X {}");
    write(
        module + "/target/surefire-reports/TEST-" + name + ".xml",
        "<testsuite time=\""
            + seconds
            + "\"><testcase name=\"x\" classname=\""
            + name
            + "\"/></testsuite>");
  }

  private void touch(String file) throws IOException {
    Files.setLastModifiedTime(root.resolve(file), AFTER);
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
