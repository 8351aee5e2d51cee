package sluice.http;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.Route;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.Routes;
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

/// What monitoring asks a server for: `/metrics` in the text format of Prometheus or in
/// OpenMetrics, and `/healthz`, 200 while all is well, else 503 with the reasons. It is answered by
/// a loop of its own, so that it can be asked while other loops are stuck and until the last of
/// them has drained; the handlers run on its slow path.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | server, counters, draining | the thread that starts and ends the server | volatile | volatile |
final class Observatory {
  private static final int MOST_CONNECTIONS = 64;
  private static final int CHUNKS = 16;
  private static final int CHUNK_BYTES = 16 << 10;

  /// How long a loop may take to answer that it turns.
  private static final Duration STUCK_AFTER = Duration.ofSeconds(2);

  private volatile @Nullable Server server;
  private volatile @Nullable CounterPublisher counters;
  private volatile boolean draining;

  /// Begins to answer about a server that was started.
  ///
  /// @return null when monitoring is not wanted
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
    boolean open = MetricsText.isOpen(request.header("Accept"));
    responder
        .field("Content-Type", open ? MetricsText.OPEN_METRICS : MetricsText.TEXT)
        .field("Vary", "Accept")
        .send(MetricsText.of(published.snapshot(), open));
  }

  private void health(HttpResponder responder) throws IOException, InterruptedException {
    String trouble = trouble();
    responder
        .status(trouble.isEmpty() ? 200 : 503)
        .field("Content-Type", "text/plain; charset=utf-8")
        .field("Cache-Control", "no-store")
        .close()
        .send(trouble.isEmpty() ? "ok\n" : trouble);
  }

  private String trouble() throws InterruptedException {
    Server watched = server;
    if (watched == null) {
      return "starting\n";
    }
    Watchdog watchdog = watched.watchdog();
    StringBuilder trouble = new StringBuilder();
    if (watchdog.overruns() > 0) {
      trouble.append("handler overruns: ").append(watchdog.overruns()).append('\n');
    }
    if (watchdog.deadLoops() > 0) {
      trouble.append("dead loops: ").append(watchdog.deadLoops()).append('\n');
    }
    if (draining) {
      trouble.append("draining\n");
    } else if (watchdog.deadLoops() == 0) {
      for (String loop : watched.stuckLoops(STUCK_AFTER)) {
        trouble.append("stuck: ").append(loop).append('\n');
      }
    }
    return trouble.toString();
  }
}
