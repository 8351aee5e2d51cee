package sluice.bench.poller;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.BenchMain;

/// Each demonstration server serves the client, each in a JVM of its own as its command starts it.
@Timeout(600)
class PollerDemoTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "PollingServer --backend epoll --workers 2",
        "PollingServer --backend poll",
        "AsyncPollingServer --backend epoll --workers 2",
        "AsyncPollingServer --backend io_uring",
        "AsyncPollingServer --backend poll",
        "SimpleServer",
        "VirtualServer",
        "BusyServer"
      })
  void aServerServesTheClient(String command) throws Exception {
    Process server = start(command + " --port 0");
    try {
      String line = server.inputReader(UTF_8).readLine();
      assertThat(line).startsWith("listening on port ");
      String port = line.substring(line.lastIndexOf(' ') + 1);
      comeAndGo(Integer.parseInt(port));
      for (int round = 0; round < 2; round++) { // the second finds the first one's numbers free
        Process client = start("Client --connections 150 --messages 20 --port " + port);
        try {
          String result = read(client);
          assertThat(client.waitFor(60, TimeUnit.SECONDS)).isTrue();
          assertThat(result).contains("150 connections, 3,000 messages");
          assertThat(client.exitValue()).isZero();
        } finally {
          client.destroyForcibly();
        }
      }
      assertThat(server.isAlive()).isTrue();
    } finally {
      assertThat(server.destroyForcibly().waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /// Clients that have gone before the server has looked at them.
  private static void comeAndGo(int port) throws IOException {
    for (int i = 0; i < 200; i++) {
      Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
      client.setSoLinger(true, 0);
      client.close();
    }
  }

  @Test
  void helpAndWrongArguments() {
    assertThat(PollerDemo.run(List.of("--help"))).isZero();
    assertThat(PollerDemo.run(List.of("-h"))).isZero();
    assertThat(BenchMain.run(List.of("-h"))).isZero();
    assertThat(PollerDemo.run(List.of("PollingServer", "--help"))).isZero();
    assertThat(PollerDemo.run(List.of())).isEqualTo(2);
    assertThat(PollerDemo.run(List.of("NoServer"))).isEqualTo(2);
    assertThat(PollerDemo.run(List.of("Client", "--port", "x"))).isEqualTo(2);
    assertThat(PollerDemo.run(List.of("Client", "--port"))).isEqualTo(2);
    assertThat(PollerDemo.run(List.of("Client", "--no", "1"))).isEqualTo(2);
  }

  @Test
  void errorsSayWhereAndWhatToDo() throws Exception {
    assertThat(said("SimpleServer --port 0 --http no-such-file"))
        .contains("SimpleServer: --http no-such-file: there is no such file");
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
      assertThat(said("PollingServer --port " + port))
          .contains("cannot listen on port " + port, "Fix: --port");
    }
    assertThat(said("Client --port " + port))
        .contains("port " + port + ", connection 1: ", "Fix: start a server");
  }

  private static String said(String arguments) throws Exception {
    Process process = start(arguments);
    try {
      String all = read(process);
      assertThat(process.waitFor()).isEqualTo(1);
      return all;
    } finally {
      process.destroyForcibly();
    }
  }

  private static Process start(String arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp",
                classPath(),
                PollerDemo.class.getName()));
    command.addAll(List.of(arguments.split(" ", -1)));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /// The places that this test's own modules and jars come from.
  private static String classPath() {
    return System.getProperty("jdk.module.path", "")
        + File.pathSeparator
        + System.getProperty("java.class.path", "")
        + File.pathSeparator
        + Path.of("target", "classes").toAbsolutePath();
  }

  private static String read(Process process) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      StringBuilder all = new StringBuilder();
      String line = reader.readLine();
      while (line != null) {
        all.append(line).append('\n');
        line = reader.readLine();
      }
      return all.toString();
    }
  }
}
