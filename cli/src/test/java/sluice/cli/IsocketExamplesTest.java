package sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Runs the isocket examples as `sluice example` does, and checks their replies.
@Timeout(600)
final class IsocketExamplesTest {
  private static Process start(String source) throws Exception {
    List<String> command = SluiceProcess.example(source);
    command.add("0");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Await.limit(process);
    return process;
  }

  private static String ask(Process server, String lines) throws Exception {
    try {
      BufferedReader said =
          new BufferedReader(new InputStreamReader(server.getInputStream(), UTF_8));
      StringBuilder all = new StringBuilder();
      String line = said.readLine();
      while (line != null && !line.startsWith("listening on port ")) {
        all.append(line).append('\n');
        line = said.readLine();
      }
      assertThat(line).as(all.toString()).isNotNull();
      int port = Integer.parseInt(line.substring(18).split("[, ]", 2)[0]);
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        client.getOutputStream().write(lines.getBytes(UTF_8));
        client.shutdownOutput();
        return new String(client.getInputStream().readAllBytes(), UTF_8);
      }
    } finally {
      server.destroyForcibly();
      Await.end(server);
    }
  }

  @Test
  void aPortedServerAnswersAndItsInterruptletInFrontOfIt() throws Exception {
    assertThat(ask(start("isocket/WordServer.java"), "ping\none two three\nping\n"))
        .isEqualTo("pong\n3\npong\n");
  }

  @Test
  void aHandlerInCAnswersInFrontOfJava() throws Exception {
    assumeTrue(hasCompiler(), "no cc on this machine");
    assertThat(ask(start("c-handler/CHandler.java"), "get tea\nget tea\nhello\n"))
        .isEqualTo("1 times\n2 times\nJava says: hello\n");
  }

  private static boolean hasCompiler() {
    for (String directory : System.getenv("PATH").split(":", -1)) {
      if (Files.isExecutable(Path.of(directory, "cc"))) {
        return true;
      }
    }
    return false;
  }

  @Test
  void theGuideShowsWhatThePortChanges() throws Exception {
    Path root = SourceTree.find().root();
    String guide = Files.readString(root.resolve("docs/isockets.md"));
    List<String> before =
        Files.readAllLines(root.resolve("examples/isocket/before/WordServer.java"));
    List<String> after = Files.readAllLines(root.resolve("examples/isocket/WordServer.java"));
    for (String line : guide.lines().toList()) {
      if (line.startsWith("-import") || line.startsWith("-  ")) {
        assertThat(before).contains(line.substring(1));
        assertThat(after).doesNotContain(line.substring(1));
      } else if (line.startsWith("+import") || line.startsWith("+  ")) {
        assertThat(after).contains(line.substring(1));
      }
    }
  }
}
