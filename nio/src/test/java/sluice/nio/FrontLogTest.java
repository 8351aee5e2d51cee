package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.front.FrontSettings;
import sluice.http.front.KeptReplies;
import sluice.nio.front.FrontMode;
import sluice.testbase.Await;

/// The access log of the files in front of an application.
@Timeout(60)
final class FrontLogTest {
  private static final int BIG = 3 << 20;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"OWNER", "COMPANION"})
  void eachReplyOfTheFrontHasALine(FrontMode mode) throws Exception {
    Path site = Files.createDirectory(directory.resolve("site"));
    Files.writeString(site.resolve("a.txt"), "file a");
    Files.write(site.resolve("big.bin"), new byte[BIG]);
    Path log = directory.resolve("access.log");
    KeptReplies replies = new KeptReplies(1 << 20, KeptReplies.Rule.parse("/kept=600"));
    FrontSettings settings = FrontSettings.DEFAULT.withAccessLog(log).withReplies(replies);
    try (SmallApplication application =
            new SmallApplication(CompletionProviders.behind(site, settings, mode));
        FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      assertThat(client.get("/api").reply()).isEqualTo("200 /api#0#0");
      assertThat(client.get("/big.bin").reply()).isEqualTo("200 " + BIG + " bytes");
      assertThat(client.get("/kept").reply()).isEqualTo("200 /kept#0#0");
      Await.until("it is kept", () -> replies.counts().stored() == 1);
      assertThat(client.get("/kept").reply()).isEqualTo("200 /kept#0#0");
      Await.until("all lines", () -> lines(log).size() == 3);
      assertThat(lines(log).get(0)).matches("127.0.0.1 .* \"GET /a.txt HTTP/1.1\" 200 6 .*");
      assertThat(lines(log).get(1))
          .matches("127.0.0.1 .* \"GET /big.bin HTTP/1.1\" 200 " + BIG + " .*");
      assertThat(lines(log).get(2)).matches("127.0.0.1 .* \"GET /kept HTTP/1.1\" 200 9 .*");
    }
  }

  /// A front answers of a traced request what it can, and gives the application the rest as it is.
  @ParameterizedTest
  @EnumSource(names = {"OWNER", "COMPANION"})
  void aTraceIsLoggedAndPassedOn(FrontMode mode) throws Exception {
    Path site = Files.createDirectory(directory.resolve("site"));
    Files.writeString(site.resolve("a.txt"), "file a");
    Path log = directory.resolve("access.log");
    FrontSettings settings =
        FrontSettings.DEFAULT.withAccessLog(log).withLogFormat("{target} {traceparent}");
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    String head = " HTTP/1.1\r\nHost: a\r\nTraceParent: " + trace + "\r\ntracestate: a=1\r\n\r\n";
    try (SmallApplication application =
        new SmallApplication(CompletionProviders.behind(site, settings, mode))) {
      try (FrontClient client = new FrontClient(application.port())) {
        assertThat(client.send("GET /a.txt" + head).reply()).isEqualTo("200 file a");
        assertThat(client.send("GET /api" + head).reply()).isEqualTo("200 /api#0#0");
        assertThat(client.send("GET /a.txt" + head.replace("4b", "4B")).reply())
            .isEqualTo("200 file a");
      }
      Await.until("its end", () -> !application.transcripts.isEmpty());
      assertThat(application.transcripts.values().iterator().next().bytes())
          .isEqualTo("GET /api" + head);
      Await.until("all lines", () -> lines(log).size() == 2);
      assertThat(lines(log)).containsExactly("/a.txt " + trace, "/a.txt -");
    }
  }

  private static List<String> lines(Path log) throws IOException {
    return Files.readAllLines(log);
  }
}
