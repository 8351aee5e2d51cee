package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.http.clients.ClientLimits;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpReply;
import sluice.http.handlers.Route;
import sluice.http.parse.HttpRequest;
import sluice.http.rules.HeaderRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.RedirectRule;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.testbase.AllocatedBytes;

/// An interruptlet's request and a hit allocate nothing on the loop, counters and guard included.
@Timeout(240)
class HandlerCostTest {
  private static final int BATCH = 10;
  private static final int BATCHES = 1000;

  /// What a whole round may allocate besides requests.
  private static final long SLACK_BYTES = 4 << 10;

  @TempDir Path directory = Path.of(".");

  @ParameterizedTest
  @CsvSource({"IO_URING, 6", "EPOLL, 6", "EPOLL, 12000"})
  void requestsAllocateNothing(Backend backend, int fileBytes) throws Exception {
    Files.writeString(directory.resolve("file.txt"), "x".repeat(fileBytes) + "!");
    Route route =
        Route.at("/count")
            .withLimit(Duration.ofMinutes(1)) // the machine may be cold
            .withInterruptlet(() ->
                new HttpInterruptlet() {
                  private long calls;

                  @Override
                  public boolean handle(HttpRequest request, HttpReply reply) {
                    reply
                        .status(200)
                        .field("Content-Type", "text/plain")
                        .text("call ")
                        .number(++calls);
                    reply.body(request.view(), request.queryFrom(), request.queryTo());
                    return true;
                  }
                });
    ServerConfig server = ServerConfig.onLoopback("cost", 0).withBackend(backend);
    HttpConfig config = HttpConfig.of(server, Site.of(directory)).withRoutes(List.of(route));
    requireNothing(
        config,
        "GET /count?x=1 HTTP/1.1\r\nHost: t\r\n\r\nGET /file.txt HTTP/1.1\r\nHost: t\r\n\r\n");
  }

  /// Rules are part of the ready reply; hosts that change with each request are looked up.
  @Test
  void rulesAndHostsAllocateNothing() throws Exception {
    Files.writeString(directory.resolve("file.txt"), "content!");
    Files.writeString(directory.resolve("other.txt"), "content?");
    List<HeaderRule> headers = new ArrayList<>();
    List<RedirectRule> redirects = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      headers.add(
          new HeaderRule(PathPattern.of("/a" + i + "/*"), Map.of("Cache-Control", "max-age=" + i)));
      redirects.add(new RedirectRule(PathPattern.of("/old" + i + "/*"), "/new/*", 301));
    }
    headers.add(new HeaderRule(PathPattern.of("/*"), Map.of("X-Frame-Options", "DENY")));
    SiteRules rules = new SiteRules(headers, redirects, List.of());
    List<VirtualHost> hosts = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      List<String> names = List.of("host" + i + ".example", "*.sub" + i + ".example");
      hosts.add(new VirtualHost(names, Site.of(directory), rules));
    }
    ServerConfig server = ServerConfig.onLoopback("cost", 0).withBackend(Backend.EPOLL);
    String first = "GET /other.txt HTTP/1.1\r\nHost: a.SUB4.example:80\r\n\r\n";
    String second = "GET /file.txt HTTP/1.1\r\nHost: host1.example\r\n\r\n";
    requireNothing(
        HttpConfig.of(server, Site.of(directory)).withHosts(hosts, true), first + second);
  }

  @Test
  void limitsOfAddressesAllocateNothing() throws Exception {
    Files.writeString(directory.resolve("file.txt"), "content!");
    ServerConfig server = ServerConfig.onLoopback("cost", 0).withBackend(Backend.EPOLL);
    int most = ClientLimits.MOST;
    String one = "GET /file.txt HTTP/1.1\r\nHost: t\r\n\r\n";
    requireNothing(
        HttpConfig.of(server, Site.of(directory))
            .withClientLimits(new ClientLimits(most, most, most)),
        "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n" + one);
  }

  /// By HEAD, since pages have exclamation marks. Which page it is, is found out all the same.
  @Test
  void errorsAllocateNothing() throws Exception {
    Files.writeString(directory.resolve("file.txt"), "content!");
    ServerConfig server = ServerConfig.onLoopback("cost", 0).withBackend(Backend.EPOLL);
    String error = "HEAD /none HTTP/1.1\r\nHost: t\r\nAccept: a/b;q=0.5, text/html;q=0.9\r\n\r\n";
    String one = "GET /file.txt HTTP/1.1\r\nHost: t\r\n\r\n";
    requireNothing(HttpConfig.of(server, Site.of(directory)), error + one);
  }

  /// @param both a request, and another whose reply ends with the only exclamation mark
  private static void requireNothing(HttpConfig config, String both) throws Exception {
    try (HttpServer server = HttpServer.start(config, line -> {});
        PlainClient client = new PlainClient(server.server().port())) {
      server.publishTo(new CounterPublisher(Counters.inMemory()));
      byte[] batch = both.repeat(BATCH / 2).getBytes(StandardCharsets.US_ASCII);
      long bytes =
          AllocatedBytes.settled(loop(), SLACK_BYTES, () -> exchange(client, batch, BATCHES));
      assertThat(bytes).as("for %d requests", BATCH * BATCHES).isLessThanOrEqualTo(SLACK_BYTES);
    }
  }

  private static void exchange(PlainClient client, byte[] batch, int times) throws IOException {
    InputStream in = client.socket().getInputStream();
    byte[] buffer = new byte[64 << 10];
    for (int i = 0; i < times; i++) {
      client.send(batch);
      int marks = 0;
      while (marks < BATCH / 2) {
        int count = in.read(buffer);
        assertThat(count).isPositive();
        for (int at = 0; at < count; at++) {
          marks += buffer[at] == '!' ? 1 : 0; // the last byte of the file, and nowhere else
        }
      }
    }
  }

  private static Thread loop() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("cost-loop-0"))
        .findAny()
        .orElseThrow();
  }
}
