package sluice.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.testbase.Await;

/// Tests the trace context of a request. Plug-ins see the header as it was sent; the access log
/// contains it if it is valid.
@Timeout(240)
final class TraceparentTest extends PluginServerRig {
  private static final String GOOD = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  /// A plug-in that returns the trace context of its request.
  public static final class Echo implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      return PluginReply.text(request.header("traceparent") + "|" + request.header("tracestate"));
    }
  }

  private String reply(String target, String... fields) throws Exception {
    String lines = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
    String reply = ask("GET " + target + " HTTP/1.1\r\n" + lines, "");
    return reply.substring(reply.indexOf("\r\n\r\n") + 4);
  }

  @Test
  void reachesPluginsAndTheLog() throws Exception {
    Path log = directory.resolve("access.log");
    Path jar = jar("echo", HttpPlugin.class, Echo.class);
    start("access-log", log.toString(), "log-format", "json", "plugin", "/api=" + jar);
    String good = "traceparent: " + GOOD;
    assertThat(reply("/api?1", good, "tracestate: a=1,b=2")).isEqualTo(GOOD + "|a=1,b=2");
    assertThat(reply("/?2", "Traceparent: " + GOOD)).isEqualTo("home");
    String bad = GOOD.replace('4', 'X');
    assertThat(reply("/api?3", "traceparent: " + bad)).isEqualTo(bad + "|null");
    assertThat(reply("/api?4", "traceparent: 00-\",\"x\":\u00e4")).startsWith("00-\",\"x\":");
    assertThat(reply("/api?5", good, good)).isEqualTo(GOOD + "|null");
    assertThat(reply("/api?6")).isEqualTo("null|null");
    Await.until("six lines", () -> Files.readAllLines(log).size() == 6);
    List<String> lines = Files.readAllLines(log);
    for (int i = 0; i < lines.size(); i++) {
      String trace = i < 2 ? GOOD : "";
      assertThat(lines.get(i))
          .contains("?" + (i + 1) + "\"")
          .endsWith(",\"traceparent\":\"" + trace + "\"}");
    }
  }
}
