package sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;

/// Runs the launcher in its own tree with a JDK and a Maven that only log their arguments, so that
/// no test case builds anything.
abstract class LauncherRig {
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
      [ -z "${FAKE_FETCH_FAILS-}" ] || { echo "curl: (6) Could not resolve host: x"; exit 1; }
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
      : >ROOT/testbase/target/classes/sluice/testbase/report/QuickTests.class
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
      case $* in *sluice.testbase.report.*)
        while [ "${1#sluice.testbase.report.}" = "$1" ]; do shift; done
        exec REAL_JAVA -cp TESTBASE "$@" ;;
      esac
      echo "$$ $*" >>ROOT/java.log
      echo "$*"
      """;

  @TempDir Path root;

  record Started(Process process, Path log) {}

  record Result(int exitCode, String out, String err) {}

  @BeforeEach
  void aTree() throws IOException {
    Files.copy(
        SourceTree.find().root().resolve("sluice"),
        root.resolve("sluice"),
        StandardCopyOption.COPY_ATTRIBUTES);
    Path help = Files.createDirectories(root.resolve("docs/help"));
    for (String topic : List.of("sluice", "run", "test", "package", "dev")) {
      String name = topic + ".txt";
      Files.copy(SourceTree.find().root().resolve("docs/help").resolve(name), help.resolve(name));
    }
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    for (String module : shipped()) {
      Files.createDirectories(root.resolve(module + "/src/main"));
      Files.writeString(root.resolve(module + "/pom.xml"), "<project/>");
    }
    Files.writeString(root.resolve("cli/src/main/Main.java"), "class Main {}");
    executable("bin/mvn", MAVEN);
    jdk("jdk", "25.0.3");
  }

  final String[] shipped() throws IOException {
    return Files.readAllLines(root.resolve("sluice")).stream()
        .filter(line -> line.startsWith("SHIPPED="))
        .map(line -> line.replaceAll("SHIPPED=|\"", ""))
        .findFirst()
        .orElseThrow()
        .split(" ");
  }

  final void jdk(String name, String version) throws IOException {
    executable(name + "/bin/java", JAVA);
    executable(name + "/bin/javac", JAVA);
    Files.writeString(
        root.resolve(name + "/release"),
        "JAVA_RUNTIME_VERSION=\"" + version + "+9\"\nJAVA_VERSION=\"" + version + "\"\n");
  }

  final void executable(String path, String text) throws IOException {
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

  final String lineOf(String file) throws IOException {
    return Files.readString(root.resolve(file)).strip();
  }

  final long lines(String file) throws IOException {
    return Files.readAllLines(root.resolve(file)).size();
  }

  final Result run(List<String> environment, String... arguments) throws Exception {
    return finish(start(environment, arguments));
  }

  /// Starts the launcher under `sh` with the fake tools first on the path.
  final Started start(List<String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("/bin/sh", root.resolve("sluice").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JAVA_HOME");
    builder.environment().remove("CI");
    builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
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

  /// Returns the error output written so far.
  static String said(Started started) throws IOException {
    return Files.readString(started.log().resolve("err"));
  }

  final Result finish(Started started) throws Exception {
    int exitCode = Await.end(started.process());
    return new Result(
        exitCode,
        Files.readString(started.log().resolve("out")),
        Files.readString(started.log().resolve("err")));
  }
}
