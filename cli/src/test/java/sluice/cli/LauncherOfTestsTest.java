package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests `sluice test`: the arguments it passes to Maven, and how it ends.
@Timeout(600)
final class LauncherOfTestsTest extends LauncherRig {
  private static final String PASSED =
      "<testsuite><testcase name=\"b\" classname=\"a\"/></testsuite>";

  @Test
  void countsTestsInOnePlainLastLine() throws Exception {
    String report =
        "<testsuite><testcase name=\"b\" classname=\"a\"><skipped message=\"needs gcc\"/>"
            + "</testcase><testcase name=\"c\" classname=\"a\"/></testsuite>";
    Result passed = run(List.of("FAKE_REPORT=" + report), "test");
    assertThat(passed.out().lines().toList()).endsWith("1 passed, 0 failed, 1 skipped");
    assertThat(passed.out()).contains("skipped: a.b: needs gcc\n");
    assertThat(passed.err()).contains("all tests: about 10 to 40 min");
    assertThat(run(List.of("FAKE_REPORT=" + report), "test").err())
        .as("the length of the last run")
        .contains("all tests: about 1 min")
        .doesNotContain("10 to 40");
    assertThat(passed.exitCode()).isZero();
  }

  @Test
  void inCiATestThatFailedRunsOnceMoreAlone() throws Exception {
    String once =
        "<testsuite><testcase name=\"b\" classname=\"a\"><failure message=\"m\"/></testcase>"
            + "</testsuite>";
    String alone = "<testsuite><testcase name=\"b\" classname=\"a(again)\"/></testsuite>";
    Result mended =
        run(List.of("CI=true", "FAKE_REPORT=" + once, "FAKE_SECOND_REPORT=" + alone), "test");
    assertThat(mended.out())
        .contains("unstable: a.b failed")
        .endsWith("\n1 passed, 0 failed, 0 skipped\n");
    assertThat(mended.err()).contains("a failed: it runs once more, alone");
    assertThat(mended.exitCode()).isZero();
    assertThat(Files.readString(root.resolve("maven.log")))
        .contains("-pl cli -am -Dtest=a,a$* -Dsurefire.failIfNoSpecifiedTests=false");
    Files.delete(root.resolve("cli/target/surefire-reports/TEST-a-again.xml"));
    Result elsewhere = run(List.of("FAKE_REPORT=" + once), "test");
    assertThat(elsewhere.out()).endsWith("\n0 passed, 1 failed, 0 skipped\n");
    assertThat(elsewhere.exitCode()).isEqualTo(1);
  }

  @Test
  void theEndOfATestRunTellsWhatFailedAndWhy() throws Exception {
    String report =
        """
        <testsuite name="a" tests="3" errors="0" skipped="1" failures="1">
          <testcase name="zero" classname="sluice.a"/>
          <testcase name="one[2]" classname="sluice.a">
            <failure message="&#10;expected: 5" type="E"><![CDATA[java.lang.AssertionError:
        expected: 5 but <testsuite tests="9"> was: 6
        	at java.base/java.lang.Object.wait(Object.java:1)
        	at sluice.a/sluice.a.B.one(B.java:59)
        ]]></failure>
            <system-out><![CDATA[<skipped>
        seed 4711
        ]]></system-out>
          </testcase>
          <testcase name="two" classname="sluice.a">
            <skipped type="T"><![CDATA[T: needs gcc
        	at sluice.a/sluice.a.B.one(B.java:59)
        ]]></skipped>
          </testcase>
        </testsuite>
        """;
    Result failed = run(List.of("FAKE_REPORT=" + report), "test");
    assertThat(failed.out())
        .endsWith(
            """
            skipped: sluice.a.two: needs gcc
            failed: sluice.a.one[2]
                java.lang.AssertionError:
                expected: 5 but <testsuite tests="9"> was: 6
                    at sluice.a/sluice.a.B.one(B.java:59)
                printed: seed 4711

            1 passed, 1 failed, 1 skipped
            """);
  }

  @Test
  void aTestRunThatTakesTooLongIsEnded() throws Exception {
    Result ended = run(List.of("FAKE_BUILD_SECONDS=50", "SLUICE_TEST_SECONDS=1"), "test");
    assertThat(ended.out())
        .contains("failed: the run took longer than 1 s")
        .endsWith("\n0 passed, 1 failed, 0 skipped\n");
    assertThat(ended.err()).contains("no test process was running when the time was over");
    assertThat(ended.exitCode()).isEqualTo(1);
  }

  @Test
  void aRunWithoutTestsOrWithABrokenBuildFails() throws Exception {
    Result none = run(List.of(), "test");
    assertThat(none.out()).endsWith("\n0 passed, 1 failed, 0 skipped\n").contains("no test ran");
    assertThat(none.exitCode()).isEqualTo(1);
    Result broken = run(List.of("FAKE_BUILD_FAILS=1"), "test");
    assertThat(broken.out()).endsWith("\n0 passed, 1 failed, 0 skipped\n").contains("build");
    assertThat(broken.exitCode()).isEqualTo(1);
    Result noJdk = run(List.of("SLUICE_JAVA_HOME=" + root.resolve("none")), "test");
    assertThat(noJdk.out()).endsWith("\n0 passed, 1 failed, 0 skipped\n");
    assertThat(noJdk.exitCode()).isEqualTo(1);
    assertThat(run(List.of(), "test", "nowhere").exitCode()).isEqualTo(2);
    assertThat(run(List.of(), "test", "--fast").exitCode()).isEqualTo(2);
  }

  @Test
  void oneTestIsFoundInItsModule() throws Exception {
    Path test = root.resolve("http/src/test/java/x/DeepTest.java");
    Files.createDirectories(test.getParent());
    Files.writeString(test, "class DeepTest {}");
    Result one =
        run(List.of("FAKE_REPORT=" + PASSED), "test", "--only", "DeepTest#m", "--seed", "7");
    assertThat(one.exitCode()).isZero();
    assertThat(asked())
        .contains(" -Dsluice.seed=7 ", " -pl http -am -Dtest=DeepTest#m ", "excludedGroups=none");
    assertThat(asked()).containsPattern(" -T [0-9]+ ").doesNotContain(" -T 17 ");
    run(List.of("SLUICE_TEST_THREADS=17", "FAKE_REPORT=" + PASSED), "test", "http");
    assertThat(asked()).contains(" -T 17 ");
    Result none = run(List.of(), "test", "--only", "NoTest");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("no test class NoTest");
    assertThat(run(List.of(), "test", "--only", "DeepTest", "http").exitCode()).isEqualTo(2);
    assertThat(run(List.of(), "test", "--seed", "x").exitCode()).isEqualTo(2);
    assertThat(run(List.of(), "test", "--seed").exitCode()).isEqualTo(2);
  }

  @Test
  void quickRunsAllOnceAndThenWhatHasChanged() throws Exception {
    Files.writeString(
        root.resolve("pom.xml"),
        "<project><modules><module>http</module><module>cli</module></modules></project>");
    pom("http", "");
    pom("cli", "sluice-http");
    Result first = run(List.of("FAKE_REPORT=" + PASSED), "test", "--quick");
    assertThat(first.err()).contains("no green run is known here");
    assertThat(first.exitCode()).isZero();
    assertThat(asked()).doesNotContain("-pl");
    assertThat(run(List.of(), "test", "--quick").out())
        .startsWith("nothing has changed since the last green run")
        .endsWith("\n0 passed, 0 failed, 0 skipped\n");
    Path source = Files.createDirectories(root.resolve("http/src/main")).resolve("New.java");
    Files.writeString(source, "class New {}");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(60)));
    Result quick = run(List.of("FAKE_REPORT=" + PASSED), "test", "--quick");
    assertThat(quick.err()).contains("changed: http; depending on it: cli");
    assertThat(asked()).contains("-Dfast -Dtest=sluice.cli.TidyTest -pl http,cli -am ");
    assertThat(run(List.of(), "test", "--quick", "http").exitCode()).isEqualTo(2);
  }

  @Test
  void aRedRunIsNothingToBeginFrom() throws Exception {
    String red =
        PASSED.replace("/></testsuite>", "><failure message=\"m\"/></testcase></testsuite>");
    assertThat(run(List.of("FAKE_REPORT=" + red), "test").exitCode()).isEqualTo(1);
    assertThat(run(List.of("FAKE_REPORT=" + PASSED), "test", "cli").exitCode()).isZero();
    assertThat(root.resolve(".sluice/test-green")).doesNotExist();
  }

  @Test
  void helpIsGivenOnTestsAndOnDevelopment() throws Exception {
    assertThat(run(List.of(), "test", "--help").out()).contains("--quick", "--only", "--seed");
    assertThat(run(List.of(), "help", "dev").out()).contains("test --quick", "--only", "--seed");
    assertThat(run(List.of(), "help", "test").out()).isEqualTo(run(List.of(), "test", "-h").out());
    assertThat(run(List.of(), "help", "fs", "mkfs").out()).endsWith(" fs mkfs --help\n");
  }

  /// Returns the arguments of the last call of Maven.
  private String asked() throws IOException {
    return Files.readAllLines(root.resolve("maven.log")).getLast() + " ";
  }

  private void pom(String module, String needs) throws IOException {
    Files.writeString(
        root.resolve(module + "/pom.xml"),
        "<project><artifactId>sluice-"
            + module
            + "</artifactId><dependencies><dependency><artifactId>"
            + needs
            + "</artifactId></dependency></dependencies></project>");
    Files.setLastModifiedTime(root.resolve(module + "/pom.xml"), FileTime.fromMillis(0));
  }
}
