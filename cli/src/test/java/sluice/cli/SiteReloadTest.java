package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;

/// Sends SIGHUP to a server with a configuration file, in a separate process.
@Timeout(240)
final class SiteReloadTest {
  private static final Pattern PORT = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");

  @TempDir Path directory = Path.of(".");
  private @Nullable Process process;

  @AfterEach
  void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  private String ask(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      String request = "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void hangUp(Process server) throws Exception {
    Process kill = new ProcessBuilder("sh", "-c", "kill -HUP " + server.pid()).start();
    assertThat(Await.end(kill)).isZero();
  }

  private String reload(Process server) throws Exception {
    List<String> command = SluiceProcess.command("reload", "serve " + directory.resolve("one"));
    command.addAll(List.of("--dir", directory.resolve("run").toString()));
    Process reload = new ProcessBuilder(command).redirectErrorStream(true).start();
    Await.limit(reload);
    String said = new String(reload.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).contains("process " + server.pid());
    return said + "exit code " + Await.end(reload);
  }

  @Test
  void hangUpChangesAllOrNothing() throws Exception {
    Files.createDirectory(directory.resolve("one"));
    Files.createDirectory(directory.resolve("two"));
    Files.writeString(directory.resolve("one/index.html"), "one");
    Files.writeString(directory.resolve("two/index.html"), "two");
    Path file = directory.resolve("site.toml");
    Path log = directory.resolve("log");
    String server = "[server]\naccess-log = \"log\"\nlog-format = \"json\"\n";
    Files.writeString(file, "directory = \"one\"\n" + server);
    List<String> command = SluiceProcess.command("serve");
    command.addAll(List.of("--config", file.toString(), "--port", "0"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    builder.redirectError(directory.resolve("err").toFile());
    Process started = builder.start();
    process = started;
    BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
    String line = String.valueOf(out.readLine());
    Matcher matcher = PORT.matcher(line);
    assertThat(matcher.find()).as(line).isTrue();
    int port = Integer.parseInt(matcher.group(1));
    assertThat(ask(port)).endsWith("one");

    Files.move(log, directory.resolve("log.1"));
    Files.writeString(file, "directory = \"two\"\n" + server + "prot = 1\n");
    hangUp(started);
    Await.untilAsserted(() ->
        assertThat(Files.readString(directory.resolve("err")))
            .contains("the configuration in use stays: " + file + ":5: unknown key prot")
            .contains("Fix: write port"));
    assertThat(ask(port)).endsWith("one");
    assertThat(log).as("nothing at all was done").doesNotExist();

    assertThat(reload(started))
        .contains("the configuration in use stays: " + file + ":5: unknown key prot")
        .contains("exit code 1");

    Files.writeString(file, "directory = \"two\"\n" + server);
    assertThat(reload(started))
        .contains("configuration loaded again from " + file + ": 1 site")
        .contains("are read again", "exit code 0");
    assertThat(ask(port)).endsWith("two");
    hangUp(started);
    Await.untilAsserted(() -> assertThat(ask(port)).endsWith("two"));
    Await.untilAsserted(() -> assertThat(log).exists());
    ask(port);
    Await.untilAsserted(
        () -> assertThat(Files.readString(log)).contains("\"method\":\"GET\",\"target\":\"/\""));
  }
}
