package sluice.testbase.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestReportTest {
  private static final FileTime STARTED = FileTime.fromMillis(1_000_000);

  @TempDir Path root;

  @Test
  void countsWhatPassedFailedAndWasSkipped() throws IOException {
    report("loop", "a.FirstTest", "", passed("a.FirstTest", "one") + failed("a.FirstTest", "two"));
    report("http", "b.OtherTest", "", skipped("b.OtherTest", "three"));
    assertThat(summary("")).contains("skipped: b.OtherTest.three: no gcc");
    assertThat(summary(""))
        .contains("failed: a.FirstTest.two\n    java.lang.AssertionError: wrong");
    assertThat(summary(""))
        .contains("        at sluice.Here.run(Here.java:1)\n")
        .doesNotContain("org.x");
    assertThat(summary("")).contains("    printed: seed 42");
    assertThat(summary("")).endsWith("\n\n1 passed, 1 failed, 1 skipped\n");
  }

  @Test
  void aClassThatWasSkippedIsOneLine() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      all.append(skipped("b.OtherTest", "test" + i));
    }
    report("http", "b.OtherTest", "", all.toString());
    report("loop", "a.FirstTest", "", passed("a.FirstTest", "one"));
    assertThat(summary(""))
        .contains("skipped: b.OtherTest, 5 tests: no gcc\n")
        .doesNotContain("test0")
        .endsWith("\n1 passed, 0 failed, 5 skipped\n");
  }

  @Test
  void whatPassesAloneIsUnstableAndCountsAsPassed() throws IOException {
    report("loop", "a.FirstTest", "", failed("a.FirstTest", "two") + passed("a.FirstTest", "one"));
    report("loop", "a.FirstTest", "-again", passed("a.FirstTest(again)", "two"));
    assertThat(summary("")).contains("unstable: a.FirstTest.two failed, and passed when it ran");
    assertThat(summary("")).contains("    printed: seed 42").doesNotContain("\nfailed: ");
    assertThat(summary("")).endsWith("\n2 passed, 0 failed, 0 skipped\n");
  }

  @Test
  void whatFailsTwiceHasFailed() throws IOException {
    report("loop", "a.FirstTest", "", failed("a.FirstTest", "two"));
    report("loop", "a.FirstTest", "-again", failed("a.FirstTest(again)", "two"));
    assertThat(summary("")).doesNotContain("unstable: ");
    assertThat(summary("")).endsWith("\n0 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void ofTwoThatFailTheOneThatPassesAloneIsUnstable() throws IOException {
    report("loop", "a.FirstTest", "", failed("a.FirstTest", "two") + failed("a.FirstTest", "one"));
    report(
        "loop",
        "a.FirstTest",
        "-again",
        passed("a.FirstTest(again)", "two") + failed("a.FirstTest(again)", "one"));
    assertThat(summary("")).contains("unstable: a.FirstTest.two", "failed: a.FirstTest.one");
    assertThat(summary("")).endsWith("\n1 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void aSecondRunWithoutATestProvesNothing() throws IOException {
    report("loop", "a.FirstTest", "", failed("a.FirstTest", "two"));
    report("loop", "a.FirstTest", "-again", "");
    assertThat(summary("")).endsWith("\n0 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void aBrokenRunHasFailedAlsoWhenAllItsTestsPassed() throws IOException {
    report("loop", "a.FirstTest", "", passed("a.FirstTest", "one"));
    assertThat(summary("the build")).contains("failed: the build\n");
    assertThat(summary("the build")).endsWith("\n1 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void aRunWithoutTestsHasFailed() throws IOException {
    assertThat(summary("")).endsWith("failed: no test ran\n\n0 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void halfAReportIsAFailure() throws IOException {
    report("loop", "a.FirstTest", "", passed("a.FirstTest", "one"));
    write("http", "b.CutTest", "", "<testsuite><testcase name=\"x\" classname=\"b.CutTest\"");
    assertThat(summary("")).contains("TEST-b.CutTest.xml is no whole report");
    assertThat(summary("")).endsWith("\n1 passed, 1 failed, 0 skipped\n");
  }

  @Test
  void reportsOfAnEarlierRunAreLeftAlone() throws IOException {
    Path old = report("loop", "a.FirstTest", "", failed("a.FirstTest", "two"));
    Files.setLastModifiedTime(old, FileTime.fromMillis(1));
    report("http", "b.OtherTest", "", passed("b.OtherTest", "three"));
    assertThat(summary("")).endsWith("\n1 passed, 0 failed, 0 skipped\n");
  }

  @Test
  void namesTheModuleAndClassToRunAgain() throws IOException {
    report("loop", "a.FirstTest", "", failed("a.FirstTest$Inner", "two"));
    report("acceptance/servers", "c.DeepTest", "", failed("c.DeepTest", "x"));
    assertThat(again()).isEqualTo("acceptance/servers c.DeepTest\nloop a.FirstTest\n");
  }

  @Test
  void manyFailuresAreNoAccident() throws IOException {
    for (int i = 0; i < 7; i++) {
      report("loop", "a.Test" + i, "", failed("a.Test" + i, "two"));
    }
    assertThat(again()).isEmpty();
  }

  private String summary(String broken) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TestReport.summary(
        TestRun.read(root, STARTED), broken, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private String again() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TestReport.again(
        TestRun.read(root, STARTED), new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private Path report(String module, String name, String suffix, String cases) throws IOException {
    return write(
        module, name, suffix, "<testsuite name=\"" + name + "\">" + cases + "</testsuite>");
  }

  private Path write(String module, String name, String suffix, String text) throws IOException {
    Path folder = root.resolve(module).resolve("target/surefire-reports");
    Files.createDirectories(folder);
    return Files.writeString(folder.resolve("TEST-" + name + suffix + ".xml"), text);
  }

  private static String passed(String className, String name) {
    return "<testcase name=\"" + name + "\" classname=\"" + className + "\" time=\"0.1\"/>";
  }

  private static String failed(String className, String name) {
    return "<testcase name=\"%s\" classname=\"%s\"><failure message=\"wrong &lt;1&gt;\" type=\"T\">"
            .formatted(name, className)
        + "<![CDATA[java.lang.AssertionError: wrong\n\tat org.x.Y.z(Y.java:1)\n"
        + "\tat sluice.Here.run(Here.java:1)\n]]></failure>"
        + "<system-out><![CDATA[seed 42\n<testcase is only text>\n]]></system-out></testcase>";
  }

  private static String skipped(String className, String name) {
    return "<testcase name=\"%s\" classname=\"%s\"><skipped message=\"no gcc\"/></testcase>"
        .formatted(name, className);
  }
}
