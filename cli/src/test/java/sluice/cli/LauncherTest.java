package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Tests what the launcher builds, caches and starts.
@Timeout(600)
final class LauncherTest extends LauncherRig {
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
    assertThat(unknown.err())
        .contains("unknown command: swerve. Fix: write serve.")
        .contains("--help");
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
  void aBuildThatWasKilledKeepsNoStartWaiting() throws Exception {
    Path goesOn = Files.createFile(root.resolve("build-goes-on"));
    Started killed = start(List.of(), "stat");
    Await.until("the build", () -> Files.exists(root.resolve("maven.log")));
    killed.process().destroyForcibly();
    Started waiting = start(List.of(), "stat");
    Await.until(
        "what the second says",
        () -> !waiting.process().isAlive() || said(waiting).contains("another start is building"));
    Files.delete(goesOn); // lets the build end, which was not killed
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
    Await.until("the build", () -> Files.exists(root.resolve("maven.log")));
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
    assertThat(refusal("--bakend", "jdk", "a.jar")).contains("unknown option --bakend", "Fix:");
    assertThat(refusal("--static=.", "--cache=many", "a.jar")).contains("--cache takes a number");
    assertThat(refusal("--backend")).contains("--backend needs a value");
    assertThat(refusal("-Xmx1g")).contains("nothing is named that is to be run");
    assertThat(refusal("gone.jar")).contains("there is no file gone.jar", "Fix:");
    assertThat(refusal(".")).contains("there is no file .", "Fix:");
    assertThat(refusal("--static", "site", "a.jar")).contains("no such directory", "Fix:");
    assertThat(refusal("--static=site", "a.jar")).contains("--static site: there is no such");
    assertThat(refusal("--static=.", "--backend=jdk", "a.jar")).contains("our own channels. Fix:");
    assertThat(refusal("--cache", "8", "a.jar")).contains("Fix: --static DIR");
    assertThat(refusal("--access-log", "l", "a.jar")).contains("Fix: --static DIR");
    assertThat(refusal("--static=.", "--log-format=json", "a.jar")).contains("Fix: --access-log");
    assertThat(refusal("--static=.", "--log-format={status} x", "--compare", "a.jar"))
        .contains("Fix: '-Dsluice.nio.static.log.format={status} x'\n");
    assertThat(refusal("--static=.", "--access-log=l", "--compare", "a.jar"))
        .contains("Fix: -Dsluice.nio.static.log=l");
    assertThat(refusal("--static=.", "--access-log=it's a.log", "--compare", "a.jar"))
        .contains("Fix: '-Dsluice.nio.static.log=it'\\''s a.log'\n");
    assertThat(refusal("--static=.", "--cache=8", "--compare", "a.jar"))
        .contains("Fix: -Dsluice.nio.cache=8");
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
  void aNewerJdkIsTriedWhereThereIsNo25() throws Exception {
    jdk("newer", "26.0.1");
    String newer = root.resolve("newer").toString();
    Result named = run(List.of("SLUICE_JAVA_HOME=" + newer), "stat");
    assertThat(named.exitCode()).as(named.err()).isZero();
    assertThat(named.err()).contains("is a JDK 26; Sluice is tested with 25");
    Files.writeString(root.resolve(".sluice/jdk"), root.resolve("jdk") + "\n");
    Result found = run(List.of("SLUICE_JAVA_HOME=", "JAVA_HOME=" + newer), "-v", "stat");
    assertThat(found.exitCode()).as(found.err()).isZero();
    assertThat(found.err()).contains("sluice: " + root.resolve("jdk/bin/java"));
    awaitRecording();
  }

  /// Checks that one start-up cache fits all commands, since the JVM refuses a cache that was
  /// recorded with other options.
  @Test
  void everyCommandHasTheOptionsThatTheCacheWasRecordedWith() throws Exception {
    Files.writeString(
        root.resolve("site.toml"), "\t[[plugin]]\npath = '/x'\n[server]\nhandlers = 'loop'\n");
    run(List.of(), "stat");
    for (String command :
        List.of(
            "serve site",
            "serve --config site.toml",
            "serve site --plugin /x=x.jar",
            "serve site --handlers loop",
            "domain run domain.toml",
            "nfs disk.img",
            "stat")) {
      assertThat(run(List.of(), command.split(" ", -1)).out())
          .contains(
              "-XX:AOTCache=",
              "--enable-native-access=sluice.sys --add-opens=java.base/java.lang=sluice.sys ");
    }
  }

  @Test
  void anUnknownBenchIsRefusedBeforeTheBuild() throws Exception {
    Result none = run(List.of(), "bench", "nope");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("no bench is called nope. Known: echo http");
    assertThat(root.resolve("maven.log")).doesNotExist();
  }

  @Test
  void aFailedFetchOfMavenShowsTheReason() throws Exception {
    Result failed = run(List.of("FAKE_FETCH_FAILS=1"), "stat");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err()).contains("curl: (6) Could not resolve host").contains("build.log");
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

  /// Checks that each kind of command has its own cache and compiler options. A JVM loads its whole
  /// cache at the start, and a short run has no use for optimized code.
  @Test
  void eachKindOfCommandHasItsCacheAndCompilers() throws Exception {
    run(List.of(), "stat");
    assertThat(Files.readAllLines(root.resolve("java.log")).stream().filter("training"::equals))
        .hasSize(3);
    Path config = Files.writeString(root.resolve("site.toml"), "[[plugin]]\n");
    for (String command :
        List.of("serve site --plugin a.jar", "serve --plugin=a.jar", "serve --config " + config)) {
      assertThat(run(List.of(), command.split(" ", -1)).out()).contains("/plugins.aot ");
    }
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
    // A recording that was killed left a marker of this age.
    Files.setLastModifiedTime(mark, FileTime.from(Instant.now().minusSeconds(3600)));
    assertThat(run(List.of(), "stat").err()).contains("there is none; recording a new one now");
    awaitRecording();
    assertThat(run(List.of(), "stat").out()).contains("-XX:AOTCache=");
    assertThat(build).isDirectoryNotContaining("glob:**/new.*");
  }

  @Test
  void aRecordingThatFailsLeavesNothingBehind() throws Exception {
    Result first = run(List.of("FAKE_TRAINING_FAILS=1"), "stat");
    assertThat(first.err())
        .endsWith("no start-up cache: recording failed, see .sluice/aot-*.log\n");
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
        List.of(
            "sys",
            "memory",
            "loop",
            "net",
            "http",
            "fs",
            "verify",
            "domain",
            "vi",
            "isocket",
            "testbase",
            "bench")) {
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
  void theVersionNamesTheCommitOfTheTree() throws Exception {
    executable("jdk/bin/java", "#!/bin/sh\necho \"commit ${SLUICE_COMMIT-none}.\"\n");
    executable("bin/git", "#!/bin/sh\necho 0123456789ab-dirty\n");
    List<String> off = List.of("SLUICE_AOT=off");
    assertThat(run(off, "--version").out()).as("a copy that is no repository").contains("commit .");
    Files.createDirectories(root.resolve(".git"));
    assertThat(run(off, "--version").out()).contains("commit 0123456789ab-dirty.");
    assertThat(run(off, "stat").out()).as("what needs none").contains("commit none.");
  }

  @Test
  void examplesAreListed() throws Exception {
    Path source = root.resolve("examples/hello/Hello.java");
    Files.createDirectories(source.getParent());
    Files.writeString(
        source, "import a.b;\n\n/// Says `hello`, in two\n/// lines. Once.\nvoid main() {}");
    Path silent = root.resolve("examples/silent/Silent.java");
    Files.createDirectories(silent.getParent());
    Files.writeString(silent, "void main() {}");
    Result list = run(List.of(), "example");
    assertThat(list.exitCode()).isZero();
    assertThat(list.out()).contains("\n  hello          Says hello, in two lines.\n  silent");
    assertThat(run(List.of(), "example", "helo").err())
        .contains("no example helo. Fix: write hello.");
    Result none = run(List.of(), "example", "nope");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("no example nope. Known: hello");
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

  /// Waits for the process that records the cache, which outlives the launcher.
  private void awaitRecording() throws Exception {
    Path recording = root.resolve(".sluice/builds/" + lineOf(".sluice/current") + "/recording");
    Await.until("the end of the recording", () -> !Files.exists(recording));
  }
}
