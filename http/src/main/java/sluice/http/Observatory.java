package sluice.http;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.loop.CounterPublisher;
import sluice.loop.PrometheusText;
import sluice.loop.Server;
import sluice.loop.Watchdog;

/// What monitoring asks a server for: `/metrics` in the text format of Prometheus and `/healthz`,
/// 200 while all is well, else 503 with the reasons. Its handlers run on the slow path.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | server, counters, draining | who starts and ends the server | volatile | volatile |
final class Observatory {
  private volatile @Nullable Server server;
  private volatile @Nullable CounterPublisher counters;
  private volatile boolean draining;

  void watch(Server started) {
    server = started;
  }

  void show(CounterPublisher published) {
    counters = published;
  }

  void drain() {
    draining = true;
  }

  List<Route> routes() {
    return List.of(
        Route.at("/metrics").withBodyBytes(0).withSlowHandler((request, to) -> metrics(to)),
        Route.at("/healthz").withBodyBytes(0).withSlowHandler((request, to) -> health(to)));
  }

  private void metrics(HttpResponder responder) throws IOException {
    CounterPublisher published = counters;
    responder.field("Cache-Control", "no-store").close();
    if (published == null) {
      responder.status(503).field("Retry-After", "1").send("no counters yet\n");
      return;
    }
    responder
        .field("Content-Type", PrometheusText.CONTENT_TYPE)
        .send(PrometheusText.of(published.snapshot()));
  }

  private void health(HttpResponder responder) throws IOException {
    String trouble = trouble();
    responder
        .status(trouble.isEmpty() ? 200 : 503)
        .field("Content-Type", "text/plain; charset=utf-8")
        .field("Cache-Control", "no-store")
        .close()
        .send(trouble.isEmpty() ? "ok\n" : trouble);
  }

  private String trouble() {
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
    }
    return trouble.toString();
  }
}
