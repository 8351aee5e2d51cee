package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.files.FileReader;
import sluice.http.handlers.HttpReply;
import sluice.http.handlers.Route;
import sluice.http.parse.HttpRequest;
import sluice.http.site.Site;
import sluice.loop.HandlerGuard;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.loop.server.Watchdog;
import sluice.testbase.Await;

/// Counters, metrics, health and events of a running server.
@Timeout(240)
class ObservatoryTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir Path directory = Path.of(".");
  private final CounterPublisher counters = new CounterPublisher(Counters.inMemory());
  private final CountDownLatch waiting = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private @Nullable HttpServer server;

  @BeforeEach
  void site() throws IOException {
    Files.writeString(directory.resolve("index.html"), "the site");
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private HttpServer start(Backend backend, int maxConnections) throws IOException {
    Route busy =
        Route.at("/busy").withLimit(Duration.ofMillis(500)).withInterruptlet(() -> this::busy);
    Route brief =
        Route.at("/brief")
            .withLimit(Duration.ofMinutes(1)) // the machine may be busy
            .withInterruptlet(() -> (request, reply) -> true);
    Route wait =
        Route.at("/wait")
            .withSlowHandler((request, responder) -> {
              awaitRelease();
              responder.send("at last");
            });
    Route slow = Route.at("/slow").withSlowHandler((request, responder) -> responder.send("s"));
    ServerConfig config =
        ServerConfig.onLoopback("test", 0)
            .withBackend(backend)
            .withLoop(LoopConfig.DEFAULT.withMaxConnections(maxConnections));
    HttpServer started =
        HttpServer.start(
            HttpConfig.of(config, Site.of(directory))
                .withRoutes(List.of(busy, brief, slow, wait))
                .withMonitoring(Monitoring.at(ANY_PORT)),
            line -> {});
    server = started;
    return started;
  }

  /// Goes on until the watchdog says that this was too long.
  private boolean busy(HttpRequest request, HttpReply reply) {
    Watchdog watchdog = Objects.requireNonNull(server).server().watchdog();
    long before = watchdog.overruns();
    Await await = new Await();
    while (watchdog.overruns() == before) {
      await.check("an overrun");
    }
    return true;
  }

  private static PlainClient.Reply ask(HttpServer server, String path) throws IOException {
    InetSocketAddress address = (InetSocketAddress) server.monitoringAddresses().getFirst();
    try (PlainClient client = new PlainClient(address.getPort())) {
      return client.get(path);
    }
  }

  /// Asks how the server is until none of its loops is called stuck, as one may be that gets no
  /// processor for two seconds.
  private static PlainClient.Reply health(HttpServer server) throws IOException {
    Await await = new Await();
    PlainClient.Reply reply = ask(server, "/healthz");
    while (reply.text().contains("stuck: ")) {
      await.check("loops that turn");
      reply = ask(server, "/healthz");
    }
    return reply;
  }

  private Map<String, Long> counted() {
    return counters.snapshot().values().stream()
        .collect(Collectors.toMap(CounterValue::label, CounterValue::value));
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void everythingIsCounted(Backend backend) throws Exception {
    // the reply of a file that was written a moment ago, or in this second, is not kept
    Instant hourAgo = Instant.now().minusSeconds(3600);
    Files.setLastModifiedTime(directory.resolve("index.html"), FileTime.from(hourAgo));
    Thread.sleep(FileReader.QUIET_NANOS / 1_000_000 * 2);
    HttpServer started = start(backend, 100);
    started.publishTo(counters);
    try (PlainClient client = new PlainClient(started.server().port())) {
      client.get("/");
      client.get("/");
      client.get("/");
      client.get("/none");
      client.get("/brief");
      client.get("/slow");
      client.send("GET / HTTP/9.1\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(505);
      Map<String, Long> counted = counted();
      assertThat(counted)
          .containsEntry("test-loop-0/requests", 7L)
          .containsEntry("test-loop-0/hits", 2L)
          .containsEntry("test-loop-0/misses", 2L)
          .containsEntry("test-loop-0/fills", 2L)
          .containsEntry("test-loop-0/interruptlet_replies", 1L)
          .containsEntry("test-loop-0/slow_requests", 1L)
          .containsEntry("test-loop-0/replies_2xx", 5L)
          .containsEntry("test-loop-0/replies_4xx", 1L)
          .containsEntry("test-loop-0/replies_5xx", 1L)
          .containsEntry("test-loop-0/accepted", 1L)
          .containsEntry("test-loop-0/connections", 1L)
          .containsEntry("test-loop-0/watch_overflows", 0L)
          .containsEntry("server/healthy", 1L);
      assertThat(counted.get("test-loop-0/system_calls")).isPositive();
      assertThat(counted.get("test-loop-0/turns")).isPositive();
      assertThat(counted.get("test-loop-0/sent_bytes")).isGreaterThan(700L);
    }
  }

  @Test
  void directoriesThatGiveWayForWantOfWatchesAreCounted() throws IOException {
    for (String name : List.of("d", "e", "f/g/h")) {
      Files.createDirectories(directory.resolve(name));
      Files.writeString(directory.resolve(name).resolve("x"), name);
    }
    ServerConfig config = ServerConfig.onLoopback("test", 0);
    HttpServer started =
        HttpServer.start(
            HttpConfig.of(config, Site.of(directory))
                .withWatches(3) // the root, a directory, a file
                .withMonitoring(Monitoring.at(ANY_PORT)),
            line -> {});
    server = started;
    started.publishTo(counters);
    try (PlainClient client = new PlainClient(started.server().port())) {
      assertThat(client.get("/d/x").text()).isEqualTo("d");
      assertThat(counted()).containsEntry("test-loop-0/watch_evictions", 0L);
      assertThat(client.get("/e/x").text()).isEqualTo("e");
      assertThat(counted())
          .containsEntry("test-loop-0/watch_evictions", 1L)
          .containsEntry("test-loop-0/watch_shortages", 0L);
      assertThat(client.get("/f/g/h/x").text()).isEqualTo("f/g/h");
      Map<String, Long> counted = counted();
      assertThat(counted.get("test-loop-0/watch_evictions")).isGreaterThan(1);
      assertThat(counted.get("test-loop-0/watch_shortages")).isPositive();
      assertThat(counted.get("test-loop-0/watches")).isBetween(1L, 3L);
    }
    assertThat(ask(started, "/metrics").text())
        .containsPattern("sluice_watch_evictions(_total)?\\{[^}]*} [1-9]");
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void monitoringIsAnsweredBesideTheSite(Backend backend) throws IOException {
    HttpServer started = start(backend, 100);
    assertThat(ask(started, "/metrics").status()).isEqualTo(503);
    started.publishTo(counters);
    PlainClient.Reply metrics = ask(started, "/metrics");
    assertThat(metrics.field("Content-Type")).startsWith("text/plain; version=0.0.4");
    assertThat(metrics.text())
        .contains("# TYPE sluice_requests_total counter\n")
        .contains("sluice_connections{source=\"test-loop-0\"} 0\n");
    assertThat(metrics.field("Connection")).isEqualTo("close");
    assertThat(health(started).text()).isEqualTo("ok\n");
    assertThat(ask(started, "/").status()).isEqualTo(404);
    assertThat(ask(started, "//x").status()).isEqualTo(404);
    try (PlainClient client = new PlainClient(started.server().port())) {
      assertThat(client.get("/healthz").status()).isEqualTo(404);
      assertThat(client.get("/busy").status()).isEqualTo(200);
    }
    PlainClient.Reply ill = health(started);
    assertThat(ill.status()).isEqualTo(503);
    assertThat(ill.text()).isEqualTo("handler overruns: 1\n");
    assertThat(counted()).containsEntry("server/handler_overruns", 1L);
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void monitoringSaysThatTheServerDrainsUntilItHas(Backend backend) throws Exception {
    HttpServer started = start(backend, 100);
    InetSocketAddress monitoring = (InetSocketAddress) started.monitoringAddresses().getFirst();
    Thread drainer;
    try (PlainClient client = new PlainClient(started.server().port())) {
      client.send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n");
      waiting.await();
      drainer = Thread.ofPlatform().start(() -> started.drain(Duration.ofSeconds(200)));
      PlainClient.Reply reply = health(started);
      Await await = new Await();
      while (reply.status() == 200) { // the drain has not begun
        await.check("the drain");
        reply = health(started);
      }
      assertThat(reply.status()).isEqualTo(503);
      assertThat(reply.text()).isEqualTo("draining\n");
      Await.until("the listener's end", () -> !canConnect(started.server().port()));
      assertThat(ask(started, "/healthz").text()).isEqualTo("draining\n");
      assertThat(ask(started, "/metrics").status()).isEqualTo(503); // nothing is published
      released.countDown();
      assertThat(client.reply().text()).isEqualTo("at last");
    }
    drainer.join();
    assertThat(canConnect(monitoring.getPort())).isFalse();
  }

  @Test
  void aLoopThatIsStuckIsNamed() throws Exception {
    HttpServer started = start(Backend.EPOLL, 100);
    started.server().loops().getFirst().execute(this::awaitRelease);
    waiting.await();
    PlainClient.Reply reply = ask(started, "/healthz");
    assertThat(reply.status()).isEqualTo(503);
    assertThat(reply.text()).isEqualTo("stuck: test-loop-0\n");
    released.countDown();
  }

  private void awaitRelease() {
    waiting.countDown();
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean canConnect(int port) {
    try (PlainClient client = new PlainClient(port)) {
      return client.socket().isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void eventsSayWhatHappened() throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      HttpServer started = start(Backend.EPOLL, 1);
      int asked = 0;
      try (PlainClient client = new PlainClient(started.server().port())) {
        client.send("GET / HTTP/1.1\r\nHost: t\r\n"); // an idle one would make room
        Loop loop = started.server().loops().getFirst();
        Await.until("half a head", () -> loop.counters().receives() > 0);
        try (PlainClient second = new PlainClient(started.server().port())) {
          assertThat(second.reply().status()).isEqualTo(503);
        }
        client.send("\r\n");
        assertThat(client.reply().status()).isEqualTo(200);
        Await await = new Await();
        do { // a turn that was slow before its handler began is not told of by the handler's stack
          await.check("a turn that is slow by its handler");
          started.guards().forEach(HandlerGuard::enable);
          assertThat(client.get("/busy").status()).isEqualTo(200);
          asked++;
        } while (slowByBusy(slowTurns(recording, started)).isEmpty());
      }
      // on a machine that is busy other turns are slow too
      assertThat(slowByBusy(slowTurns(recording, started)))
          .singleElement()
          .satisfies(slow ->
              assertThat(slow.getDuration("workNanos")).isGreaterThan(Duration.ofMillis(100)));
      assertThat(only(recording, "sluice.ConnectionsRefused").getLong("count")).isEqualTo(1);
      assertThat(await(recording, "sluice.HandlerOverrun", asked))
          .hasSize(asked)
          .allSatisfy(each -> assertThat(each.getString("handler")).isEqualTo("/busy"));
      RecordedEvent fill = only(recording, "sluice.Fill");
      assertThat(fill.getString("path")).isEqualTo("/");
      assertThat(fill.getInt("status")).isEqualTo(200);
      assertThat(fill.getDuration("fillNanos")).isPositive();
    }
  }

  private List<RecordedEvent> recorded(Recording recording, String name) throws IOException {
    Path file = directory.resolve("recording.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(each -> each.getEventType().getName().equals(name))
        .toList();
  }

  /// The events of a kind, once there are so many: other threads write them, when they have time.
  private List<RecordedEvent> await(Recording recording, String name, int count) throws Exception {
    Await await = new Await();
    List<RecordedEvent> events = recorded(recording, name);
    while (events.size() < count) {
      await.check(name);
      Thread.sleep(100);
      events = recorded(recording, name);
    }
    return events;
  }

  private RecordedEvent only(Recording recording, String name) throws Exception {
    List<RecordedEvent> found = await(recording, name, 1);
    assertThat(found).as(name).hasSize(1);
    return found.getFirst();
  }

  /// The slow turns of the server's loop, once all that were counted have ended.
  private List<RecordedEvent> slowTurns(Recording recording, HttpServer server) throws Exception {
    Watchdog watchdog = server.server().watchdog();
    Await await = new Await();
    while (true) {
      List<RecordedEvent> turns =
          recorded(recording, "sluice.SlowTurn").stream()
              .filter(each -> each.getString("loop").equals("test-loop-0"))
              .toList();
      if (turns.size() >= watchdog.slowTurns()) {
        return turns;
      }
      await.check("slow turns");
      Thread.sleep(100);
    }
  }

  private static List<RecordedEvent> slowByBusy(List<RecordedEvent> turns) {
    return turns.stream()
        .filter(each -> each.getString("stack").contains("ObservatoryTest.busy"))
        .toList();
  }
}
