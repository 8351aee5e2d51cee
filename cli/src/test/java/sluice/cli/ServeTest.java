package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.host.SiteServer;
import sluice.http.HttpServer;

@Timeout(240)
final class ServeTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);

  @Test
  void servesTheExampleSiteAndSaysWhere() throws Exception {
    Path directory = SourceTree.find().root().resolve("examples/site");
    ServeOptions options = ServeOptions.parse(List.of(directory.toString(), "--port", "0"));
    try (SiteServer site = SiteServer.start(options.site, print::println);
        HttpClient client = HttpClient.newHttpClient()) {
      HttpServer server = site.http();
      Serve.announce(server, print);
      String line = out.toString(StandardCharsets.UTF_8);
      int port = server.server().port();
      assertThat(line)
          .matches("listening on http://127\\.0\\.0\\.1:" + port + "/ \\(backend: \\w+; .+\\)\\R");
      URI root = URI.create("http://127.0.0.1:" + port);
      for (String path : List.of("/", "/style.css", "/sluice.svg", "/notes/miller.html")) {
        HttpResponse<byte[]> reply =
            client.send(
                HttpRequest.newBuilder(root.resolve(path)).build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(reply.statusCode()).as(path).isEqualTo(200);
        String file = path.endsWith("/") ? path + "index.html" : path;
        assertThat(reply.body())
            .isEqualTo(Files.readAllBytes(directory.resolve(file.substring(1))));
      }
    }
  }

  @Test
  void refusesWhatIsNoDirectory(@TempDir Path temp) throws Exception {
    assertThat(Serve.run(List.of(temp.resolve("none").toString()), print, print)).isEqualTo(1);
    Path file = Files.writeString(temp.resolve("file"), "");
    assertThat(Serve.run(List.of(file.toString()), print, print)).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("not there")
        .contains("no directory")
        .contains("Fix:");
  }

  @Test
  void aHostWithoutAddressSaysWhichAndWhatToDo(@TempDir Path temp) {
    List<String> words = List.of(temp.toString(), "--port", "0", "--host", "nowhere.invalid");
    assertThat(Serve.run(words, print, print)).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("--host nowhere.invalid")
        .contains("Why:")
        .contains("Fix:");
  }

  @Test
  void aCertificateThatIsNotThereIsSaidInASentence(@TempDir Path temp) {
    String none = temp.resolve("none.pem").toString();
    List<String> words = List.of(temp.toString(), "--tls-cert", none, "--tls-key", none);
    assertThat(Serve.run(words, print, print)).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo(
            "sluice: cannot use "
                + none
                + " for TLS. Why: there is no such file. Fix: give the path of a PEM file.");
  }

  @Test
  void wrongUsageEndsWith2AndHelpWith0() {
    assertThat(Main.run("serve")).isEqualTo(2);
    assertThat(Serve.run(List.of("a", "--nonsense"), print, print)).isEqualTo(2);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("--nonsense").contains("--help");
    assertThat(Serve.run(List.of("--help"), print, print)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("Usage: sluice serve DIR");
  }
}
