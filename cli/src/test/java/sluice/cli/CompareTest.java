package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.cli.compare.CompareRounds;
import sluice.cli.compare.Comparison;
import sluice.cli.compare.LoadSource;
import sluice.cli.compare.OpenLoopLoad;
import sluice.testbase.FreePort;

/// Compares a real application from start to end, with a launcher that only starts it.
@Timeout(600)
final class CompareTest {
  @TempDir Path directory;

  /// Returns a launcher that logs the requested backend and then executes the application.
  private String launcher() throws IOException {
    Path launcher = directory.resolve("launcher");
    Files.writeString(
        launcher,
        """
        #!/bin/sh
        words="$1 $2 $3"
        shift 3
        [ "$1" != --static ] || { words="$words $1 $2" && shift 2; }
        echo "$words" >>LOG
        exec JAVA "$@"
        """
            .replace("LOG", directory.resolve("log").toString())
            .replace("JAVA", Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    return launcher.toString();
  }

  private CompareRounds rounds(int port, LoadSource load) throws IOException {
    return rounds(port, load, new CompareRounds.Ours("readiness", null));
  }

  private CompareRounds rounds(int port, LoadSource load, CompareRounds.Ours ours)
      throws IOException {
    Path source = PageServer.write(directory);
    List<String> application = List.of(source.toString(), Integer.toString(port));
    return new CompareRounds(launcher(), ours, application, load, 0, 1);
  }

  @Test
  void startsBothInTurnAndMeasures() throws Exception {
    int port = FreePort.find();
    Path urls = Files.writeString(directory.resolve("urls"), "http://127.0.0.1:" + port + "/\n");
    LoadSource load = LoadSource.of(OpenLoopLoad.read(urls, 300, 2));
    List<String> progress = new ArrayList<>();
    Comparison comparison = rounds(port, load).run(2, progress::add);
    assertThat(Files.readAllLines(directory.resolve("log")))
        .containsExactly(
            "run --backend jdk",
            "run --backend readiness",
            "run --backend readiness",
            "run --backend jdk");
    progress.removeIf(line -> line.startsWith("this machine is busy")); // depends on the machine
    assertThat(progress).hasSize(1 + 4 * 3);
    assertThat(progress.getFirst()).startsWith("4 measurements of about 3 s");
    assertThat(progress.get(1)).isEqualTo(" 1 of 4  jdk        starting");
    assertThat(progress.getLast()).startsWith(" 4 of 4  jdk").contains("CPU per request  p99");
    for (CompareRounds.Measurement measurement : comparison.ours()) {
      assertThat(measurement.load().requests()).isEqualTo(300);
      assertThat(measurement.residentBytes()).isGreaterThan(10 << 20);
      assertThat(measurement.callsPerRequest() > 0 || !measurement.whyNoCalls().isEmpty()).isTrue();
    }
    assertThat(comparison.lines().getLast()).contains("Verdict: ");
  }

  @Test
  void filesAreInFrontOfOursAlone() throws Exception {
    int port = FreePort.find();
    Files.writeString(directory.resolve("a.txt"), "a");
    String server = "http://127.0.0.1:" + port;
    Path urls =
        Files.writeString(
            directory.resolve("urls"), server + "/\n" + server + "/a.txt\n" + server + "/.b\n");
    LoadSource load = LoadSource.of(OpenLoopLoad.read(urls, 300, 2));
    CompareRounds.Ours ours = new CompareRounds.Ours("auto", directory);
    Comparison comparison = rounds(port, load, ours).run(2, _ -> {});
    assertThat(Files.readAllLines(directory.resolve("log")))
        .containsExactly(
            "run --backend jdk",
            "run --backend auto --static " + directory,
            "run --backend auto --static " + directory,
            "run --backend jdk");
    assertThat(comparison.lines().getLast())
        .contains("Verdict: ", ". A file takes ", ", any other request ");
    assertThat(String.join("\n", comparison.lines()))
        .contains("CPU per file (µs)", "CPU per other request (µs)");
    assertThat(comparison.ours()).allMatch(m -> m.fileMicros() > 0 && m.otherMicros() > 0);
  }

  @Test
  void anApplicationThatDoesNotStartIsShown() throws Exception {
    LoadSource load = LoadSource.of("echo 1 requests", FreePort.find());
    CompareRounds wrong =
        new CompareRounds(
            launcher(),
            new CompareRounds.Ours("auto", null),
            List.of("-cp", "x", "NoSuchClass"),
            load,
            0,
            1);
    assertThatThrownBy(() -> wrong.run(1, _ -> {}))
        .hasMessageContaining("did not start")
        .hasMessageContaining("NoSuchClass");
  }

  @Test
  void aPortThatIsTakenIsSaid() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      LoadSource load = LoadSource.of("echo 1 requests", taken.getLocalPort());
      assertThatThrownBy(() -> rounds(1, load).run(1, _ -> {}))
          .hasMessageContaining("answers already");
    }
  }

  /// Waits for the port of the previous server. A server on io_uring still holds its port for some
  /// milliseconds after its end.
  @Test
  void theNextStartWaitsForThePort() throws Exception {
    FutureTask<Boolean> waiting;
    try (ServerSocket last = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      LoadSource load = LoadSource.of("echo 1 requests", last.getLocalPort());
      CompareRounds rounds = rounds(1, load);
      waiting =
          new FutureTask<>(() -> {
            rounds.awaitSilence();
            return true;
          });
      Thread.ofPlatform().daemon().start(waiting);
      for (int i = 0; i < 2; i++) {
        last.accept().close(); // the first and the second attempt to connect
      }
      assertThat(waiting.isDone()).isFalse();
    }
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143"})
  void aSignalEndsTheApplicationToo(String signal, int exitCode) throws Exception {
    int port = FreePort.find();
    Path urls = Files.writeString(directory.resolve("urls"), "http://127.0.0.1:" + port + "/\n");
    Path source = PageServer.write(directory);
    List<String> command = SluiceProcess.command("run", "--compare", "--rate", "10");
    command.addAll(List.of("--load", urls.toString(), "--connections", "1", "--warm-up", "600"));
    command.addAll(List.of(source.toString(), Integer.toString(port)));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_LAUNCHER", launcher());
    Process process = builder.start();
    try {
      BufferedReader said = process.inputReader();
      for (String line; (line = said.readLine()) != null && !line.contains("warming up"); ) {}
      assertThat(process.isAlive()).isTrue();
      String pid = Long.toString(process.pid());
      assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(exitCode);
      assertThat(said.readLine()).as("nothing to complain of").isNull();
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(free.isBound()).as("the application has let go of its port").isTrue();
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void withoutALoadTheApplicationsOwnUrlsAreAskedFor() throws Exception {
    int port = FreePort.find();
    Path source = PageServer.write(directory);
    List<String> command = SluiceProcess.command("run", "--compare", "--rate", "10");
    command.addAll(List.of("--connections", "1", "--warm-up", "0", "--window", "600"));
    command.addAll(List.of(source.toString(), Integer.toString(port)));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_LAUNCHER", launcher());
    Process process = builder.start();
    try {
      BufferedReader said = process.inputReader();
      List<String> lines = new ArrayList<>();
      for (String line; (line = said.readLine()) != null && !line.contains("measuring"); ) {
        lines.add(line);
      }
      assertThat(process.isAlive()).as(lines.toString()).isTrue();
      assertThat(lines)
          .startsWith(
              "no load is named: looking for URLs of the application",
              "found http://127.0.0.1:" + port + "/");
      assertThat(Files.readAllLines(directory.resolve("log")))
          .containsExactly("run --backend jdk", "run --backend jdk");
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void aLoadCommandTellsItsRequests() throws Exception {
    LoadSource.Outcome outcome =
        LoadSource.of("echo 1234 requests in $SLUICE_WINDOW s", 80).send(7);
    assertThat(outcome.requests()).isEqualTo(1234);
    assertThat(outcome.p99()).isNaN();
    CompareRounds.Measurement silent =
        new CompareRounds.Measurement(outcome, 0.1, 1 << 20, Double.NaN, "");
    assertThat(silent.summary()).contains("CPU per request").doesNotContain("p99");
    assertThat(LoadSource.of("true", 80).target())
        .isEqualTo(new InetSocketAddress("localhost", 80));
    assertThatThrownBy(() -> LoadSource.of("echo hello; exit 3", 80).send(1))
        .hasMessageContaining("ended with 3")
        .hasMessageContaining("hello");
    assertThatThrownBy(() -> LoadSource.of("echo done", 80).send(1))
        .hasMessageContaining("without 'N requests'");
  }

  @Test
  void whatWrkSaysIsUnderstood() {
    LoadSource.Outcome outcome =
        LoadSource.said(
            """
              2 threads and 64 connections
              Latency Distribution
                 50%  635.00us
                 90%    1.20ms
                 99%    2.50ms
             99.900%    1.01s
              20000 requests in 2.00s, 3.1MB read
              Non-2xx or 3xx responses: 17
            Requests/sec:  10000.0
            """);
    assertThat(outcome).isEqualTo(new LoadSource.Outcome(19_983, 17, 635, 2500, 1_010_000));
  }

  @Test
  void wrongOptionsAreNamed() {
    assertThat(Main.run("run", "--compare", "--help")).isZero();
    assertThat(Main.run("run", "--compare")).isEqualTo(2);
    assertThat(Main.run("run", "--compare", "--rounds", "3", "--load", "x", "a.jar")).isEqualTo(2);
    assertThat(Main.run("run", "--compare", "a.jar")).isEqualTo(2);
    assertThat(Main.run("run", "--compare", "--load", "x", "--load-command", "y", "a.jar"))
        .isEqualTo(2);
    // The first rate is above the limit at all, the second for the whole duration.
    for (String rate : List.of("2000000", "1000000")) {
      assertThat(Main.run("run", "--compare", "--rate", rate, "--load", "x", "a.jar")).isEqualTo(2);
    }
  }
}
