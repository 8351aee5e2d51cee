package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Patience;

/// Runs the launcher in a tree of its own with a JDK and a Maven that only write down what they
/// were asked, so that no case builds anything.
@Timeout(600)
final class LauncherTest {
  private static final String MAVEN =
      """
      #!/bin/sh
      case $* in *--version*) echo "Apache Maven 3.9.11 (x)"; exit ;; esac
      echo "$*" >>ROOT/maven.log
      trap 'kill $!; exit 143' TERM
      sleep "${FAKE_BUILD_SECONDS:-0}" 9>&- &
      wait $!
      while [ -e ROOT/build-goes-on ]; do sleep 0.1 9>&-; done
      [ -z "${FAKE_LOCALE-}" ] || echo "${LC_ALL:-$LC_CTYPE}" >ROOT/locale.log
      [ -z "${FAKE_BUILD_FAILS-}" ] || { echo "[ERROR] it does not compile"; exit 1; }
      mkdir -p ROOT/cli/target/lib
      cat ROOT/cli/src/main/Main.java >ROOT/cli/target/sluice-cli-0.1.0.jar
      echo sys >ROOT/cli/target/lib/sluice-sys-0.1.0.jar
      mkdir -p ROOT/bench/target/lib
      echo netty >ROOT/bench/target/lib/netty.jar
      mkdir -p ROOT/nio/target
      echo nio >ROOT/nio/target/sluice-nio-0.1.0.jar
      echo agent >ROOT/nio/target/sluice-nio-0.1.0-agent.jar
      mkdir -p ROOT/testbase/target/classes/sluice/testbase/report
      : >ROOT/testbase/target/classes/sluice/testbase/report/TestReport.class
      case $* in *reportNameSuffix*) FAKE_REPORT=${FAKE_SECOND_REPORT-} suffix=-again ;; esac
      [ -z "${FAKE_REPORT-}" ] || {
        mkdir -p ROOT/cli/target/surefire-reports
        printf '%s' "$FAKE_REPORT" >"ROOT/cli/target/surefire-reports/TEST-a${suffix-}.xml"
      }
      """;

  private static final String JAVA =
      """
      #!/bin/sh
      for a in "$@"; do case $a in
      -XX:AOTCacheOutput=*)
        echo training >>ROOT/java.log
        echo cache >"${a#*=}"
        [ -z "${FAKE_TRAINING_FAILS-}" ]
        exit ;;
      esac; done
      case $* in *sluice.testbase.report.TestReport*)
        while [ "$1" != sluice.testbase.report.TestReport ]; do shift; done
        exec REAL_JAVA -cp TESTBASE "$@" ;;
      esac
      echo "$$ $*" >>ROOT/java.log
      echo "$*"
      """;

  @TempDir Path root;

  private record Started(Process process, Path log) {}

  private record Result(int exitCode, String out, String err) {}

  @BeforeEach
  void aTree() throws IOException {
    Files.copy(
        SourceTree.find().root().resolve("sluice"),
        root.resolve("sluice"),
        StandardCopyOption.COPY_ATTRIBUTES);
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    for (String module : shipped()) {
      Files.createDirectories(root.resolve(module + "/src/main"));
      Files.writeString(root.resolve(module + "/pom.xml"), "<project/>");
    }
    Files.writeString(root.resolve("cli/src/main/Main.java"), "class Main {}");
    executable("bin/mvn", MAVEN);
    jdk("jdk", "25.0.3");
  }

  private String[] shipped() throws IOException {
    return Files.readAllLines(root.resolve("sluice")).stream()
        .filter(line -> line.startsWith("SHIPPED="))
        .map(line -> line.replaceAll("SHIPPED=|\"", ""))
        .findFirst()
        .orElseThrow()
        .split(" ");
  }

  private void jdk(String name, String version) throws IOException {
    executable(name + "/bin/java", JAVA);
    executable(name + "/bin/javac", JAVA);
    Files.writeString(
        root.resolve(name + "/release"),
        "JAVA_RUNTIME_VERSION=\"" + version + "+9\"\nJAVA_VERSION=\"" + version + "\"\n");
  }

  private void executable(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        text.replace("ROOT", root.toString())
            .replace("REAL_JAVA", Path.of(System.getProperty("java.home"), "bin/java").toString())
            .replace(
                "TESTBASE",
                SourceTree.find().root().resolve("testbase/target/classes").toString()));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void helpNeedsNothing() throws Exception {
    Result help = run(List.of("SLUICE_JAVA_HOME="), "--help");
    assertThat(help.exitCode()).isZero();
    assertThat(help.out()).contains("serve DIR", "run", "doctor", "stat", "bench", "test");
    assertThat(root.resolve("maven.log")).doesNotExist();
  }

  @Test
  void refusesUnknownCommands() throws Exception {
    Result unknown = run(List.of(), "swerve");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("unknown command: swerve").contains("--help");
    assertThat(run(List.of()).exitCode()).isEqualTo(2);
  }

  @Test
  void buildsOnceThenStartsAtOnce() throws Exception {
    Result first = run(List.of(), "stat", "a b", "*");
    assertThat(first.err()).contains("building").contains("recording the start-up caches");
    assertThat(first.exitCode()).isZero();
    assertThat(first.out()).endsWith("-m sluice.cli/sluice.cli.Main stat a b *\n");
    Result second = run(List.of(), "stat");
    assertThat(second.err()).isEmpty();
    assertThat(second.out())
        .contains("--enable-native-access=sluice.sys")
        .contains("-XX:AOTCache=" + root.toRealPath() + "/.sluice/builds/");
    assertThat(lines("maven.log")).isEqualTo(1);
  }

  @Test
  void rebuildsWhenASourceIsNewerOrGone() throws Exception {
    run(List.of(), "stat");
    String old = Files.readString(root.resolve(".sluice/current"));
    Path source = root.resolve("cli/src/main/Main.java");
    Files.writeString(source, "class Main { int changed; }");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
    run(List.of(), "stat");
    assertThat(lines("maven.log")).isEqualTo(2);
    assertThat(Files.readString(root.resolve(".sluice/current"))).isNotEqualTo(old);
    assertThat(root.resolve(".sluice/builds/" + old.strip())).doesNotExist();
  }

  @Test
  void twoStartsAtATimeBuildOnce() throws Exception {
    List<Started> starts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      starts.add(start(List.of("FAKE_BUILD_SECONDS=1"), "stat"));
    }
    for (Started start : starts) {
      assertThat(finish(start).exitCode()).isZero();
    }
    assertThat(lines("maven.log")).isEqualTo(1);
  }

  @Test
  void aBuildThatWasKilledKeepsNobodyWaiting() throws Exception {
    Path goesOn = Files.createFile(root.resolve("build-goes-on"));
    Started killed = start(List.of(), "stat");
    Patience.until("the build", () -> Files.exists(root.resolve("maven.log")));
    killed.process().destroyForcibly();
    Started waiting = start(List.of(), "stat");
    Patience.until(
        "what the second says",
        () -> !waiting.process().isAlive() || said(waiting).contains("another start is building"));
    Files.delete(goesOn); // the build itself was not killed, and ends
    Result second = finish(waiting);
    assertThat(second.exitCode()).as(second.err()).isZero();
    assertThat(second.err())
        .contains("another start is building, process " + killed.process().pid());
    assertThat(lines("maven.log")).isEqualTo(2);
  }

  @Test
  void anInterruptedBuildEndsItsMavenAndIsDoneAgainFromTheSources() throws Exception {
    Path halfWritten = Files.createDirectories(root.resolve("cli/target/classes"));
    Files.writeString(halfWritten.resolve("Main.class"), "half");
    Started interrupted = start(List.of("FAKE_BUILD_SECONDS=50"), "stat");
    Patience.until("the build", () -> Files.exists(root.resolve("maven.log")));
    interrupted.process().destroy();
    Result ended = finish(interrupted);
    assertThat(ended.exitCode()).isEqualTo(143);
    assertThat(halfWritten).isNotEmptyDirectory();
    Result second = run(List.of(), "stat");
    assertThat(second.exitCode()).as(second.err()).isZero();
    assertThat(halfWritten).doesNotExist();
    assertThat(root.resolve(".sluice/started")).doesNotExist();
  }

  @Test
  void aTreeThatCannotBeWrittenSaysHowToBuild() throws Exception {
    Files.writeString(root.resolve(".sluice"), "in the way, also of root");
    Result refused = run(List.of(), "stat");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err().lines()).singleElement().asString().contains("cannot write", "Fix:");
    assertThat(root.resolve("maven.log")).doesNotExist();
  }

  @Test
  void fileNamesAreUtf8WhateverTheLocale() throws Exception {
    run(List.of("FAKE_LOCALE=1", "LC_ALL=C"), "stat");
    assertThat(Files.readString(root.resolve("locale.log"))).isEqualTo("C.UTF-8\n");
    Files.delete(root.resolve(".sluice/current"));
    run(List.of("FAKE_LOCALE=1", "LC_ALL=", "LC_CTYPE=", "LANG=de_DE.UTF-8"), "stat");
    assertThat(Files.readString(root.resolve("locale.log"))).isEqualTo("\n");
  }

  @Test
  void aFailedBuildSaysSoAndIsTriedAgain() throws Exception {
    Result failed = run(List.of("FAKE_BUILD_FAILS=1"), "stat");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err()).contains("it does not compile").contains("build.log");
    assertThat(run(List.of(), "stat").exitCode()).isZero();
  }

  @Test
  void javaTakesThePlaceOfTheLauncher() throws Exception {
    run(List.of(), "stat");
    Started started = start(List.of(), "stat");
    assertThat(finish(started).exitCode()).isZero();
    assertThat(Files.readAllLines(root.resolve("java.log")).getLast())
        .startsWith(started.process().pid() + " ");
  }

  @Test
  void passesTheUsersJvmOptionsLast() throws Exception {
    run(List.of(), "stat");
    assertThat(run(List.of("SLUICE_JAVA_OPTS=-Xmx1g -Da=b"), "stat").out())
        .containsPattern("-XX:\\+UseSerialGC.* -Xmx1g -Da=b --module-path");
    assertThat(run(List.of("SLUICE_JAVA_OPTS=-XX:+UseZGC"), "stat").out())
        .contains("-XX:AOTCache=", " -XX:+UseZGC --module-path")
        .doesNotContain("UseSerialGC");
  }

  @Test
  void runPutsTheProviderBeforeTheOptionsOfTheApplication() throws Exception {
    Result run =
        run(
            List.of(),
            "run",
            "--backend",
            "readiness",
            "-Xmx64m",
            "-p",
            "mods",
            "-cp",
            "a:b c",
            "Main");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .startsWith("--module-path mods:")
        .contains("/nio:", "--add-modules sluice.nio", "-Dsluice.nio.engine=readiness")
        .endsWith(" -Xmx64m -cp a:b c Main\n")
        .doesNotContain("UseSerialGC");
    assertThat(run(List.of(), "run", "--", "-Da=b", "-m", "x/y", "--backend", "--help", "").out())
        .contains("-Dsluice.nio.engine=auto")
        .endsWith("-Da=b -m x/y --backend --help \n");
    assertThat(root.resolve(".sluice/sluice-agent.jar")).hasContent("agent");
  }

  @Test
  void runOnTheBackendOfTheJdkAddsNoOption() throws Exception {
    Result run = run(List.of(), "run", "--backend=jdk", "-cp", "x", "Main", "1");
    assertThat(run.out()).isEqualTo("-cp x Main 1\n");
    assertThat(run.err()).contains("JDK's own selectors");
  }

  @Test
  void runNamesWhatIsWrongWithItsWords() throws Exception {
    assertThat(run(List.of(), "run", "--help").out()).contains("--backend completion");
    assertThat(refusal("--backend", "epoll", "a.jar")).contains("no backend epoll", "readiness");
    assertThat(refusal("--backend")).contains("--backend needs a value");
    assertThat(refusal("-Xmx1g")).contains("what is to be run?");
    assertThat(refusal("gone.jar")).contains("there is no file gone.jar", "Fix:");
    assertThat(refusal(".")).contains("there is no file .", "Fix:");
    assertThat(refusal("--static", "site", "a.jar")).contains("no --static", "sluice serve DIR");
    assertThat(refusal("--static=site", "a.jar")).contains("no --static");
    assertThat(root.resolve("maven.log")).doesNotExist();
  }

  private String refusal(String... words) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("run"));
    arguments.addAll(List.of(words));
    Result run = run(List.of(), arguments.toArray(new String[0]));
    assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
    return run.err();
  }

  @Test
  void namesWhatIsWrongWithTheJdk() throws Exception {
    jdk("old", "17.0.15");
    Result old = run(List.of("SLUICE_JAVA_HOME=" + root.resolve("old")), "stat");
    assertThat(old.exitCode()).isEqualTo(1);
    assertThat(old.err()).contains("is not a JDK 25").contains("Fix:");
    Result other = run(List.of("SLUICE_JAVA_HOME=", "JAVA_HOME=" + root.resolve("jdk")), "stat");
    assertThat(other.exitCode()).isZero();
  }

  @Test
  void namesTheTwoWaysToMaven() throws Exception {
    Files.delete(root.resolve("bin/mvn"));
    for (String tool : List.of("sh", "find", "mkdir", "rm", "mv", "cat", "sed", "tail", "sleep")) {
      Files.createSymbolicLink(root.resolve("bin/" + tool), Path.of("/bin/" + tool));
    }
    Result none = run(List.of("PATH=" + root.resolve("bin"), "HOME=" + root), "stat");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("install maven").contains("MVNW_REPOURL");
  }

  @Test
  void saysWhenTheStartupCacheIsNotUsed() throws Exception {
    run(List.of(), "stat");
    assertThat(run(List.of("SLUICE_AOT=off"), "-v", "stat").err()).contains("SLUICE_AOT=off");
    jdk("other", "25.0.4");
    Result other = run(List.of("SLUICE_JAVA_HOME=" + root.resolve("other")), "stat");
    assertThat(other.err()).contains("start-up cache not used").contains("another JDK");
    assertThat(other.out()).doesNotContain("-XX:AOTCache=");
    awaitRecording();
    assertThat(run(List.of("SLUICE_JAVA_HOME=" + root.resolve("other")), "stat").out())
        .contains("-XX:AOTCache=");
  }

  /// A start loads all that is in its cache; a short one has no use for optimized code.
  @Test
  void eachKindOfCommandHasItsCacheAndCompilers() throws Exception {
    run(List.of(), "stat");
    assertThat(Files.readAllLines(root.resolve("java.log")).stream().filter("training"::equals))
        .hasSize(2);
    assertThat(run(List.of(), "serve", "site").out())
        .contains("/app.aot ")
        .doesNotContain("TieredStopAtLevel");
    for (String command : List.of("nfs disk.img", "fs mount disk.img mnt")) {
      assertThat(run(List.of(), command.split(" ", -1)).out())
          .contains("/tools.aot ")
          .doesNotContain("TieredStopAtLevel");
    }
    for (String command : List.of("stat", "doctor", "--version", "fs ls disk.img", "fs --help")) {
      assertThat(run(List.of(), command.split(" ", -1)).out())
          .contains("/tools.aot ")
          .contains(" -XX:TieredStopAtLevel=1 ");
    }
  }

  @Test
  void oneStartAtATimeRecordsTheCache() throws Exception {
    run(List.of(), "stat");
    Path build = root.resolve(".sluice/builds/" + lineOf(".sluice/current"));
    Files.delete(build.resolve("app.aot"));
    Path mark = Files.createDirectory(build.resolve("recording"));
    Result second = run(List.of(), "stat");
    assertThat(second.err()).contains("not used: another start is recording it");
    assertThat(second.out()).doesNotContain("-XX:AOTCache=");
    // A mark this old was left by a recording that was killed.
    Files.setLastModifiedTime(mark, FileTime.from(Instant.now().minusSeconds(3600)));
    assertThat(run(List.of(), "stat").err()).contains("there is none; recording a new one now");
    awaitRecording();
    assertThat(run(List.of(), "stat").out()).contains("-XX:AOTCache=");
    assertThat(build).isDirectoryNotContaining("glob:**/new.*");
  }

  @Test
  void aRecordingThatFailsLeavesNothingBehind() throws Exception {
    Result first = run(List.of("FAKE_TRAINING_FAILS=1"), "stat");
    assertThat(first.err()).endsWith("no start-up cache: recording failed, see .sluice/aot.log\n");
    assertThat(first.exitCode()).isZero();
    assertThat(first.out()).doesNotContain("-XX:AOTCache=");
    awaitRecording();
    assertThat(root.resolve(".sluice/builds/" + lineOf(".sluice/current")))
        .isDirectoryContaining("glob:**/lib")
        .isDirectoryNotContaining("glob:**/*.aot*");
  }

  @Test
  void theProviderIsNotAmongTheJarsOfTheBench() throws Exception {
    for (String module :
        List.of("sys", "memory", "loop", "http", "fs", "verify", "domain", "bench")) {
      Path target = Files.createDirectories(root.resolve(module + "/target"));
      Files.writeString(target.resolve("sluice-" + module + "-0.1.0.jar"), module);
    }
    Result bench = run(List.of(), "bench", "--list");
    assertThat(bench.exitCode()).as(bench.err()).isZero();
    assertThat(bench.out()).contains("sluice.bench.BenchMain --list");
    String jars = bench.out().replaceAll("(?s).*-cp (\\S*)/\\*.*", "$1");
    assertThat(Path.of(jars)).isDirectoryNotContaining("glob:**/sluice-nio-*");
    assertThat(Path.of(jars).resolveSibling("nio")).isDirectoryContaining("glob:**/sluice-nio-*");
  }

  @Test
  void examplesAreListed() throws Exception {
    Path source = root.resolve("examples/hello/Hello.java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "void main() {}");
    Result list = run(List.of(), "example");
    assertThat(list.exitCode()).isZero();
    assertThat(list.out()).contains("names: hello");
    Result none = run(List.of(), "example", "nope");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("no example nope. Known: hello");
  }

  @Test
  void countsTestsInOnePlainLastLine() throws Exception {
    String report =
        "<testsuite><testcase name=\"b\" classname=\"a\"><skipped message=\"needs gcc\"/>"
            + "</testcase><testcase name=\"c\" classname=\"a\"/></testsuite>";
    Result passed = run(List.of("FAKE_REPORT=" + report), "test");
    assertThat(passed.out().lines().toList()).endsWith("1 passed, 0 failed, 1 skipped");
    assertThat(passed.out()).contains("skipped: a.b: needs gcc\n");
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
  void compareIsFoundBehindTheBackendAndNowhereElse() throws Exception {
    String main = "-m sluice.cli/sluice.cli.Main run --compare ";
    assertThat(run(List.of(), "run", "--compare", "--load", "urls", "a b.jar").out())
        .endsWith(main + "--load urls a b.jar\n");
    assertThat(run(List.of(), "run", "--backend", "completion", "--compare", "a.jar").out())
        .endsWith(main + "--backend completion a.jar\n");
    Result late = run(List.of(), "run", "-Xmx1g", "--compare", "a.jar");
    assertThat(late.exitCode()).isEqualTo(2);
    assertThat(late.err()).contains("--compare comes before");
    Result alone = run(List.of(), "run", "--load", "urls", "a.jar");
    assertThat(alone.exitCode()).isEqualTo(2);
    assertThat(alone.err()).contains("--load belongs to --compare");
    assertThat(run(List.of(), "--version").out()).endsWith("sluice.cli.Main --version\n");
  }

  /// The cache is recorded by a process that outlives the launcher.
  private void awaitRecording() throws Exception {
    Path recording = root.resolve(".sluice/builds/" + lineOf(".sluice/current") + "/recording");
    Patience.until("the end of the recording", () -> !Files.exists(recording));
  }

  private String lineOf(String file) throws IOException {
    return Files.readString(root.resolve(file)).strip();
  }

  private long lines(String file) throws IOException {
    return Files.readAllLines(root.resolve(file)).size();
  }

  private Result run(List<String> environment, String... arguments) throws Exception {
    return finish(start(environment, arguments));
  }

  /// Runs the launcher under `sh` with the fake tools first on the path.
  private Started start(List<String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("/bin/sh", root.resolve("sluice").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JAVA_HOME");
    builder.environment().remove("CI");
    builder.environment().put("SLUICE_JAVA_HOME", root.resolve("jdk").toString());
    builder.environment().put("PATH", root.resolve("bin") + ":" + System.getenv("PATH"));
    for (String pair : environment) {
      int equals = pair.indexOf('=');
      builder.environment().put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    Path log = Files.createTempDirectory(root, "run");
    builder.redirectOutput(log.resolve("out").toFile());
    builder.redirectError(log.resolve("err").toFile());
    return new Started(builder.start(), log);
  }

  /// What it has written to its standard error so far.
  private static String said(Started started) throws IOException {
    return Files.readString(started.log().resolve("err"));
  }

  private Result finish(Started started) throws Exception {
    int exitCode = Patience.end(started.process());
    return new Result(
        exitCode,
        Files.readString(started.log().resolve("out")),
        Files.readString(started.log().resolve("err")));
  }
}
