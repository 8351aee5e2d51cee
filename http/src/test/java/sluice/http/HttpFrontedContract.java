package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.front.FrontSettings;
import sluice.http.front.FrontTimes;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.loop.server.ServerConfig;

/// What `serve` promises, of a site in front of an application that does not know of it: the files
/// are answered in front, all else by a server of the same site behind. So a client sees the
/// contract kept whatever side answers, and the sides never disturb each other.
@Timeout(240)
abstract class HttpFrontedContract extends HttpContractLife {
  private @Nullable FrontServer front;
  private FrontServer.@Nullable Listening listening;
  private @Nullable RelayedApplication application;

  @Override
  void start(Site site, UnaryOperator<HttpConfig> change) throws IOException {
    stopFront();
    super.start(site, change);
    ServerConfig own = ServerConfig.onLoopback("front", 0).withBackend(backend());
    HttpConfig config = change.apply(HttpConfig.of(own, site));
    FrontTimes times =
        new FrontTimes(FrontTimes.DEFAULT.silence(), config.headerTimeout(), config.idleTimeout());
    FrontServer started =
        FrontServer.start(config, FrontSettings.DEFAULT.withTimes(times), complaints::add);
    RelayedApplication behind = new RelayedApplication(port);
    front = started;
    application = behind;
    listening = started.listen(behind.fd(), behind);
    port = behind.frontPort();
  }

  private FrontServer front() {
    return Objects.requireNonNull(front);
  }

  private void stopFront() {
    if (front != null && application != null && listening != null) {
      listening.close();
      application.close();
      front.loop().stop();
      assertThat(front.loop().counters().handlerFailures()).isZero();
      assertThat(front.loop().counters().taskFailures()).isZero();
    }
  }

  @AfterEach
  @Override
  void stopServer() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    opened.clear();
    stopFront();
    super.stopServer();
  }

  @Override
  void reload() throws IOException {
    front().reload();
    server().reload();
  }

  @Override
  Loop loop() {
    return front().loop();
  }

  // ---- where it differs ---------------------------------------------------------------------

  /// The application's clients wait, as those of its own socket would.
  @Test
  @Override
  void oneConnectionTooManyIsTurnedAway() throws Exception {
    LoopConfig limit = LoopConfig.DEFAULT.withMaxConnections(4);
    start(c -> HttpConfig.of(c.server().withLoop(limit), c.site()));
    List<HttpPeer> peers = new ArrayList<>();
    String half = "GET /a.txt HTT";
    for (int i = 0; i < 4; i++) {
      peers.add(peer().send(half)); // none of them is idle
    }
    await(loop -> loop.counters().receivedBytes(), 4L * half.length());
    List<HttpPeer> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(peer().send(HttpPeer.text("GET", "/b.txt")));
    }
    assertThat(peers.getFirst().send("P/1.1\r\nHost: a\r\n\r\n").read().text()).isEqualTo("alpha");
    for (HttpPeer each : waiting) { // in the place of that one, and then of each other
      assertThat(each.read().status()).isEqualTo(200);
    }
    for (HttpPeer each : peers.subList(1, 4)) {
      assertThat(each.send("P/1.1\r\nHost: a\r\n\r\n").read().text()).isEqualTo("alpha");
    }
    assertThat(loop().counters().refusedConnections()).isZero();
  }

  /// All that a site says of its files comes from the front; the application is not asked.
  @Test
  void noRequestForAFileReachesTheApplication() throws IOException {
    write("p.css", "plain".repeat(500));
    write("p.css.br", "packed");
    write("d/x.txt", "x");
    write("large.bin", pattern(3 << 20, 1));
    age();
    start(Site.of(root).withListing(true), config -> config);
    CounterPublisher behind = new CounterPublisher(Counters.inMemory());
    server().publishTo(behind);
    CounterPublisher before = new CounterPublisher(Counters.inMemory());
    front().publishTo(before);
    String tag = get("/a.txt").the("ETag");
    long own = replies(before);
    String[][] requests = {
      {"GET", "/a.txt", "200"},
      {"HEAD", "/a.txt", "200"},
      {"GET", "/", "200"},
      {"GET", "/d/", "200"},
      {"GET", "/large.bin", "200"},
      {"GET", "/a.txt", "304", "If-None-Match: " + tag},
      {"GET", "/a.txt", "412", "If-Match: \"x\""},
      {"GET", "/a.txt", "206", "Range: bytes=1-2"},
      {"GET", "/a.txt", "206", "Range: bytes=1-2,4-4"},
      {"GET", "/a.txt", "416", "Range: bytes=9-"},
      {"GET", "/p.css", "200", "Accept-Encoding: br"},
      {"GET", "/p.css", "200", "Accept-Encoding: gzip"},
      {"GET", "//%61.txt?q", "200"},
    };
    for (String[] each : requests) {
      HttpAnswer reply = request(each[0], each[1], Arrays.copyOfRange(each, 3, each.length));
      assertThat(reply.status()).as(Arrays.toString(each)).hasToString(each[2]);
    }
    assertThat(replies(before)).isEqualTo(own + requests.length);
    assertThat(replies(behind)).isZero();
    assertThat(get("/none").status()).isEqualTo(404);
    assertThat(replies(behind)).isOne();
  }

  /// Replies of a side so far.
  private static long replies(CounterPublisher of) {
    return of.snapshot().values().stream()
        .filter(each -> each.label().endsWith("/requests"))
        .mapToLong(CounterValue::value)
        .sum();
  }

  /// Rules of the application are not asked about a file: it stands in front of them.
  @Test
  @Override
  void slashesInARowLeadAroundNothing() throws IOException {
    write("private/x.txt", "the file before the route");
    write(".git/config", "hidden");
    Route guard =
        Route.at("/private")
            .withSlowHandler((request, responder) -> responder.status(403).send("guarded"));
    start(config -> config.withRoutes(List.of(guard)));
    for (String way : List.of("/private/x.txt", "//private/x.txt", "/private//x.txt")) {
      assertThat(get(way).text()).as(way).isEqualTo("the file before the route");
    }
    assertThat(get("/private/y.txt").text()).isEqualTo("guarded");
    assertThat(get("/private/").text()).as("a directory without a page").isEqualTo("guarded");
    for (String way : List.of("//.git/config", "/.git//config", "//.git//")) {
      assertThat(get(way).status()).as(way).isEqualTo(403);
    }
  }
}
