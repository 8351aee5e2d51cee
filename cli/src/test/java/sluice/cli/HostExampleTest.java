package sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;

/// Runs the host example as `sluice example` does, with the plug-in of another example.
@Timeout(600)
final class HostExampleTest {
  private static ProcessBuilder example(Path directory, String source, String... words) {
    String classes = "-Dsluice.class.dir=" + directory.resolve("classes");
    List<String> command = SluiceProcess.example(source, classes);
    command.addAll(List.of(words));
    return new ProcessBuilder(command);
  }

  @Test
  void aJavaProgramHostsASiteWithAPlugIn(@TempDir Path directory) throws Exception {
    String jar = directory.resolve("hello.jar").toString();
    Process packing = example(directory, "plugin/Hello.java", jar).inheritIO().start();
    Await.limit(packing);
    assertThat(Await.end(packing)).isZero();
    String site = SourceTree.find().root().resolve("examples/site").toString();
    Process hosting =
        example(directory, "host/HostSite.java", site, jar, "0")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Await.limit(hosting);
    try (BufferedReader said =
        new BufferedReader(new InputStreamReader(hosting.getInputStream(), UTF_8))) {
      String line = String.valueOf(said.readLine());
      assertThat(line).startsWith("serve ");
      int port = Integer.parseInt(line.replaceFirst(".*127\\.0\\.0\\.1:(\\d+)/.*", "$1"));
      assertThat(ask(port, "/hello?you")).startsWith("HTTP/1.1 200").contains("hello you");
      assertThat(ask(port, "/")).startsWith("HTTP/1.1 200").contains("<html");
      hosting.destroy();
      assertThat(Await.end(hosting)).isZero();
    } finally {
      hosting.destroyForcibly();
    }
  }

  private static String ask(int port, String path) throws Exception {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client.setSoTimeout(60_000);
      String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      client.getOutputStream().write(request.getBytes(UTF_8));
      return new String(client.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
