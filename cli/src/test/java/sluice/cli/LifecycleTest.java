package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;
import sluice.testkit.machine.NotifySocket;

/// Tests a server in a separate process and the signals that it receives.
@Timeout(600)
final class LifecycleTest {
  private static final Pattern PORT = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");

  @TempDir Path directory = Path.of(".");
  private @Nullable NotifySocket manager;
  private @Nullable Process process;
  private int port;
  private int metricsPort;

  @BeforeEach
  void site() throws IOException {
    Files.createDirectory(directory.resolve("site"));
    Files.writeString(directory.resolve("site/index.html"), "the site");
  }

  @AfterEach
  void close() {
    if (process != null) {
      process.destroyForcibly();
    }
    if (manager != null) {
      manager.close();
    }
  }

  private void start(String backend, String... options) throws Exception {
    Path notify = directory.resolve("notify");
    manager = new NotifySocket(UnixDomainSocketAddress.of(notify));
    List<String> command = SluiceProcess.command("serve");
    command.addAll(List.of(directory.resolve("site").toString(), "--port", "0", "--demo"));
    command.addAll(List.of("--metrics-port", "0", "--backend", backend, "--loops", "2"));
    command.addAll(List.of("--drain-timeout", "120"));
    command.addAll(List.of("--access-log", directory.resolve("log").toString()));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("NOTIFY_SOCKET", notify.toString());
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    builder.redirectErrorStream(true).redirectInput(ProcessBuilder.Redirect.PIPE);
    Process started = builder.start();
    process = started;
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    port = port(out.readLine());
    metricsPort = port(out.readLine());
    assertThat(manager().next(60)).startsWith("READY=1\nSTATUS=serve ");
  }

  private static int port(@Nullable String line) {
    Matcher matcher = PORT.matcher(String.valueOf(line));
    assertThat(matcher.find()).as(line).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  private NotifySocket manager() {
    if (manager == null) {
      throw new IllegalStateException("not started");
    }
    return manager;
  }

  private Process process() {
    if (process == null) {
      throw new IllegalStateException("not started");
    }
    return process;
  }

  private void kill(String signal) throws Exception {
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process().pid()).start();
    assertThat(Await.end(kill)).isZero();
  }

  private static Socket ask(int port, String path) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    String request = "GET " + path + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /// Waits until `/healthz` returns exactly this. On a busy machine it may first report a stuck
  /// loop.
  private void awaitHealth(String status, String body) throws Exception {
    String[] last = {""};
    try {
      Await.until(
          status + ", " + body,
          () -> {
            last[0] = get(metricsPort, "/healthz");
            return last[0].startsWith("HTTP/1.1 " + status + " ")
                && last[0].endsWith("\r\n\r\n" + body + "\n");
          });
    } catch (AssertionError e) {
      throw new AssertionError("the last answer was: " + last[0], e);
    }
  }

  /// Reads enough that the server does not treat the client as stalled.
  private static void readSome(InputStream in) throws IOException {
    assertThat(in.readNBytes(1 << 20)).hasSize(1 << 20);
  }

  private static String get(int port, String path) throws IOException {
    try (Socket socket = ask(port, path)) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll"})
  void onTermEverythingThatWasAskedForIsAnswered(String backend) throws Exception {
    start(backend);
    assertThat(get(port, "/")).endsWith("the site");
    assertThat(get(port, "/demo/hello?name=you&x")).contains("hello you, you are number ");
    awaitHealth("200", "ok");
    assertThat(get(metricsPort, "/metrics")).contains("sluice_interruptlet_replies_total");
    try (Socket slow = ask(port, "/demo/report?lines=1000000")) {
      InputStream in = slow.getInputStream();
      readSome(in);
      kill("TERM");
      readSome(in);
      assertThat(manager().next(60)).isEqualTo("STOPPING=1\nSTATUS=draining");
      readSome(in);
      awaitHealth("503", "draining");
      byte[] rest = in.readAllBytes();
      assertThat(new String(rest, StandardCharsets.US_ASCII))
          .endsWith("line 1000000 of 1000000\n\r\n0\r\n\r\n");
    }
    assertThat(process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process().exitValue()).isZero();
    assertThat(Files.readString(directory.resolve("log"))).contains("GET /demo/report");
    assertThat(directory.resolve("run")).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"io_uring", "epoll"})
  void aSecondInterruptDoesNotWait(String backend) throws Exception {
    start(backend);
    try (Socket stalled = ask(port, "/demo/report?lines=10000000")) {
      readSome(stalled.getInputStream());
      kill("INT");
      readSome(stalled.getInputStream());
      assertThat(manager().next(60)).startsWith("STOPPING=1");
      readSome(stalled.getInputStream());
      assertThat(process().waitFor(1, TimeUnit.SECONDS)).isFalse();
      readSome(stalled.getInputStream());
      kill("INT");
      assertThat(process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process().exitValue()).isEqualTo(130);
    }
  }

  @Test
  void onHangUpErrorPagesAreReadAgainOrStay() throws Exception {
    Path page = directory.resolve("site/404.html");
    Files.writeString(page, "not here");
    start("epoll", "--error-page", "404=404.html");
    assertThat(get(port, "/none")).endsWith("not here");
    Files.writeString(page, "gone");
    reload();
    assertThat(get(port, "/none")).endsWith("gone");
    Files.delete(page);
    reload();
    assertThat(get(port, "/none")).endsWith("gone");
    kill("TERM");
    assertThat(process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process().inputReader(StandardCharsets.UTF_8).lines().toList())
        .anyMatch(line ->
            line.startsWith("sluice: the error pages in use stay: ") && line.contains("404.html"));
  }

  @Test
  void aServerThatCannotHearHangUpSaysSo() throws Exception {
    List<String> command = SluiceProcess.command("serve");
    command.addAll(List.of(directory.resolve("site").toString(), "--port", "0"));
    List<String> ignoring = new ArrayList<>(List.of("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"));
    for (String word : command) {
      ignoring.add(word.replace("=INT,HUP", "=INT")); // an option of env(1); SIGHUP stays ignored
    }
    String runDirectory = directory.resolve("run").toString();
    ProcessBuilder builder = new ProcessBuilder(ignoring).redirectErrorStream(true);
    builder.environment().put("SLUICE_RUN_DIR", runDirectory);
    Process started = builder.start();
    process = started;
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    String first = String.valueOf(out.readLine());
    assertThat(first)
        .startsWith("sluice: SIGHUP reads nothing again: ")
        .contains("Fix: use 'sluice reload'");
    port = port(out.readLine());
    kill("HUP");
    assertThat(get(port, "/")).endsWith("the site");
    List<String> reload =
        SluiceProcess.command("reload", Long.toString(started.pid()), "--dir", runDirectory);
    Process reloading = new ProcessBuilder(reload).redirectErrorStream(true).start();
    Await.limit(reloading);
    assertThat(reloading.inputReader(StandardCharsets.UTF_8).lines())
        .anyMatch(line -> line.contains("are read again"));
    assertThat(Await.end(reloading)).isZero();
    kill("TERM");
    assertThat(process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process().exitValue()).isZero();
  }

  private void reload() throws Exception {
    kill("HUP");
    assertThat(manager().next(60)).startsWith("RELOADING=1");
    assertThat(manager().next(60)).startsWith("READY=1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll"})
  void onHangUpTheLogIsOpenedAgain(String backend) throws Exception {
    start(backend);
    get(port, "/first");
    Path log = directory.resolve("log");
    Await.until("a line in the log", () -> Files.size(log) > 0);
    Path old = Files.move(log, directory.resolve("log.1"));
    reload();
    Await.until("a new log", () -> Files.exists(log));
    get(port, "/second");
    kill("TERM");
    assertThat(process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(old)).contains("GET /first").doesNotContain("GET /second");
    assertThat(Files.readString(log)).contains("GET /second");
  }

  @Test
  void manyLoopsHaveRoomForTheirCounters() throws Exception {
    start("epoll", "--loops", "40");
    assertThat(get(metricsPort, "/metrics")).contains("loop-39");
    kill("TERM");
    assertThat(process().waitFor(60, TimeUnit.SECONDS)).isTrue();
  }
}
