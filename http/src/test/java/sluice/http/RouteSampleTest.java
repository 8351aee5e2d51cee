package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.HandlerGuard;
import sluice.loop.server.ServerConfig;

/// Interruptlets of routes are compiled before a client sees them.
@Timeout(60)
final class RouteSampleTest {
  @TempDir Path directory;

  private final AtomicLong runs = new AtomicLong();

  private HttpServer start(Route... routes) throws IOException {
    HttpConfig config =
        HttpConfig.of(ServerConfig.onLoopback("test", 0), Site.of(directory))
            .withRoutes(List.of(routes));
    return HttpServer.start(config, line -> {});
  }

  private static Route route(HttpInterruptlet interruptlet) {
    return Route.at("/warm")
        .withLimit(Duration.ofMinutes(1)) // a cold machine
        .withInterruptlet(() -> interruptlet);
  }

  private Route counting() {
    return route((request, reply) -> {
      runs.incrementAndGet();
      int body = request.from() + request.headLength();
      reply.text("got ").body(request.view(), body, body + (int) request.contentLength());
      return true;
    });
  }

  @Test
  void aRouteIsWarmBeforeTheServerListens() throws Exception {
    try (HttpServer server = start(counting().withSample("/warm?a=1"))) {
      long warming = runs.get();
      assertThat(warming).isGreaterThan(100);
      HandlerGuard guard = server.guards().getFirst();
      assertThat(guard.times().count()).as("runs for clients").isZero();
      try (PlainClient client = new PlainClient(server.server().port())) {
        assertThat(client.get("/warm").text()).isEqualTo("got ");
      }
      assertThat(runs.get()).isEqualTo(warming + 1);
      assertThat(guard.times().firstNanos()).isPositive();
    }
  }

  @Test
  void oneThatIsAdmittedLaterIsWarmToo() throws Exception {
    String request = "POST /warm HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
    try (HttpServer server = start();
        PlainClient client = new PlainClient(server.server().port())) {
      assertThat(client.get("/warm").status()).isEqualTo(404);
      HandlerGuard guard = server.admit(counting().withSample(request));
      assertThat(runs.get()).isGreaterThan(100);
      assertThat(guard.times().count()).isZero();
      assertThat(client.get("/warm").text()).isEqualTo("got ");
    }
  }

  @Test
  void oneThatClosesEachConnectionIsWarmed() throws Exception {
    Route closing =
        route((request, reply) -> {
          runs.incrementAndGet();
          reply.close().text("bye");
          return true;
        });
    try (HttpServer _ = start(closing.withSample("/warm"))) {
      assertThat(runs.get()).isGreaterThan(100);
    }
  }

  @Test
  void oneThatPassesIsWarmed() throws Exception {
    Route passing = route((request, reply) -> runs.incrementAndGet() < 0);
    try (HttpServer _ = start(passing.withSample("/warm"))) {
      assertThat(runs.get()).isGreaterThan(100);
    }
  }

  @Test
  void aSampleThatDoesNotReachTheInterruptletIsRefused() throws Exception {
    try (HttpServer server = start(counting());
        PlainClient client = new PlainClient(server.server().port())) {
      for (String sample :
          List.of("/elsewhere", "TRACE /warm HTTP/1.1\r\nHost: a\r\n\r\n", "GET")) {
        assertThatThrownBy(() -> server.admit(counting().withSample(sample)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("route /warm: the sample of ")
            .hasMessageContaining("does not reach the handler. Why: ");
      }
      assertThat(client.get("/warm").text()).as("what was served stays").isEqualTo("got ");
    }
    assertThat(runs.get()).isEqualTo(1);
  }

  @Test
  void aSampleThatMakesTheInterruptletFailIsRefused() {
    Route failing =
        route((request, reply) -> {
          throw new IllegalStateException("run " + runs.incrementAndGet());
        });
    assertThatThrownBy(() -> start(failing.withSample("/warm")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("route /warm: the sample makes the handler fail.");
    assertThat(runs.get()).isEqualTo(1);
  }

  @Test
  void aSampleNeedsAnInterruptlet() {
    assertThatThrownBy(() -> Route.at("/warm").withSample("/warm"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is none at /warm");
  }
}
