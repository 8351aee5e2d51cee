package sluice.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.Route;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.Routes;
import sluice.http.metrics.Metric;
import sluice.http.metrics.MetricsText;
import sluice.http.reply.ErrorPages;
import sluice.loop.LoopConfig;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.server.AdoptedSocket;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.loop.server.Watchdog;

/// The monitoring of a server: `/metrics` in the text format of Prometheus or in OpenMetrics, and
/// `/healthz`, which answers 200 if the server is healthy and otherwise 503 with the reasons. A
/// separate loop answers these requests even while other loops are stuck, and until the last of
/// them has been drained. The handlers run on its slow path.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | server, counters, draining | the thread that starts and ends the server | volatile | volatile |
/// | health | the program that hosts the server | volatile | volatile |
/// | sources | any thread | copy-on-write | copy-on-write |
final class Observatory {
  private static final int MOST_CONNECTIONS = 64;
  private static final int CHUNKS = 16;
  private static final int CHUNK_BYTES = 16 << 10;

  /// The time within which a loop must respond in order not to be considered stuck.
  private static final Duration STUCK_AFTER = Duration.ofSeconds(2);

  private volatile @Nullable Server server;
  private volatile @Nullable CounterPublisher counters;
  private volatile boolean draining;
  private volatile Health health = this::troubles;
  private final List<Supplier<List<Metric>>> sources = new CopyOnWriteArrayList<>();

  /// Starts monitoring a running server.
  ///
  /// @return the monitoring, or null if none is configured
  @Nullable Server start(HttpConfig config, Server started, ErrorPages errors) throws IOException {
    server = started;
    Monitoring wanted = config.monitoring();
    if (!wanted.wanted()) {
      return null;
    }
    ServerConfig own =
        new ServerConfig(
            "monitoring",
            wanted.addresses(),
            wanted.adoptedFds().stream().map(fd -> new AdoptedSocket(fd, null)).toList(),
            1,
            started.engine().backend(),
            EngineConfig.DEFAULT.withChunks(CHUNKS, CHUNK_BYTES),
            LoopConfig.DEFAULT.withMaxConnections(MOST_CONNECTIONS),
            ListenOptions.DEFAULT,
            null,
            Server.VIRTUAL_THREADS);
    HttpShared shared = new HttpShared(errors, null, null);
    RouteTable table = new RouteTable(new Routes(routes()), config.limits());
    return Server.start(
        own, loop -> new HttpProtocol(loop, config, HttpHosts.of(null, errors), table, shared));
  }

  void show(CounterPublisher published) {
    counters = published;
  }

  void drain() {
    draining = true;
  }

  void answerHealthBy(Health value) {
    health = value;
  }

  void tell(Supplier<List<Metric>> source) {
    sources.add(source);
  }

  private List<Route> routes() {
    return List.of(
        Route.at("/metrics").withBodyBytes(0).withSlowHandler(this::metrics),
        Route.at("/healthz").withBodyBytes(0).withSlowHandler((request, to) -> health(to)));
  }

  private void metrics(HttpMessage request, HttpResponder responder) throws IOException {
    CounterPublisher published = counters;
    responder.field("Cache-Control", "no-store").close();
    if (published == null) {
      responder.status(503).field("Retry-After", "1").send("no counters yet\n");
      return;
    }
    List<Metric> more = sources.stream().flatMap(each -> each.get().stream()).toList();
    boolean open = MetricsText.isOpen(request.header("Accept"));
    responder
        .field("Content-Type", open ? MetricsText.OPEN_METRICS : MetricsText.TEXT)
        .field("Vary", "Accept")
        .send(MetricsText.of(published.snapshot(), more, open));
  }

  private void health(HttpResponder responder) throws IOException, InterruptedException {
    List<String> troubles = health.troubles();
    String trouble = troubles.isEmpty() ? "" : String.join("\n", troubles) + "\n";
    responder
        .status(trouble.isEmpty() ? 200 : 503)
        .field("Content-Type", "text/plain; charset=utf-8")
        .field("Cache-Control", "no-store")
        .close()
        .send(trouble.isEmpty() ? "ok\n" : trouble);
  }

  /// Returns the server's problems, one line each, or an empty list if the server is healthy.
  List<String> troubles() throws InterruptedException {
    Server watched = server;
    if (watched == null) {
      return List.of("starting");
    }
    Watchdog watchdog = watched.watchdog();
    List<String> troubles = new ArrayList<>();
    if (watchdog.overruns() > 0) {
      troubles.add("handler overruns: " + watchdog.overruns());
    }
    if (watchdog.deadLoops() > 0) {
      troubles.add("dead loops: " + watchdog.deadLoops());
    }
    if (draining) {
      troubles.add("draining");
    } else if (watchdog.deadLoops() == 0) {
      watched.stuckLoops(STUCK_AFTER).forEach(loop -> troubles.add("stuck: " + loop));
    }
    return troubles;
  }
}
