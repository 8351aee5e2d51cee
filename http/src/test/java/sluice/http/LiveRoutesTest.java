package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpReply;
import sluice.http.handlers.Route;
import sluice.http.parse.HttpRequest;
import sluice.http.site.Site;
import sluice.loop.HandlerGuard;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.testbase.Await;

/// Handlers that come, are replaced and go while a server of two loops is asked, on every backend.
@Timeout(240)
class LiveRoutesTest {
  private static final String UPLOAD = " HTTP/1.1\r\nHost: t\r\nContent-Length: 6\r\n";

  /// Time for a cold machine.
  private static final Duration UNHURRIED = Duration.ofMinutes(1);

  @TempDir Path directory = Path.of(".");
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private @Nullable HttpServer server;

  @BeforeEach
  void site() throws IOException {
    Files.writeString(directory.resolve("x"), "the site");
  }

  @AfterEach
  void close() {
    goOn.countDown();
    if (server != null) {
      server.close();
    }
  }

  private HttpServer start(Backend backend, Route... routes) throws IOException {
    ServerConfig config = ServerConfig.onLoopback("test", 0).withBackend(backend).withLoops(2);
    HttpServer started =
        HttpServer.start(
            HttpConfig.of(config, Site.of(directory)).withRoutes(List.of(routes)), line -> {});
    server = started;
    return started;
  }

  private static Route saying(String prefix, String text) {
    return Route.at(prefix)
        .withLimit(UNHURRIED)
        .withInterruptlet(() ->
            (request, reply) -> {
              reply.text(text);
              return true;
            });
  }

  private static Route counting(String prefix) {
    return Route.at(prefix)
        .withLimit(UNHURRIED)
        .withInterruptlet(() ->
            new HttpInterruptlet() {
              private long calls;

              @Override
              public boolean handle(HttpRequest request, HttpReply reply) {
                reply.number(++calls);
                return true;
              }
            });
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aLaterRequestIsAnsweredByTheNewOne(Backend backend) throws IOException {
    HttpServer running = start(backend, counting("/kept"));
    HandlerGuard kept = running.guards().getFirst();
    List<PlainClient> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      PlainClient client = new PlainClient(running.server().port());
      clients.add(client);
      assertThat(client.get("/x").text()).isEqualTo("the site");
      assertThat(client.get("/kept").text()).isNotEmpty();
    }
    for (int i = 0; i < 60; i++) {
      if (i % 3 == 2) {
        assertThat(running.evict("/x")).isTrue();
        assertThat(running.evict("/x")).isFalse();
      } else {
        HandlerGuard guard = running.admit(saying("/x", "v" + i));
        assertThat(running.guards()).containsExactly(kept, guard);
      }
      for (PlainClient client : clients) {
        assertThat(client.get("/x").text()).isEqualTo(i % 3 == 2 ? "the site" : "v" + i);
      }
    }
    int calls = 0;
    for (PlainClient client : clients) {
      calls = Math.max(calls, Integer.parseInt(client.get("/kept").text()));
      client.close();
    }
    assertThat(calls).as("kept what it had counted").isGreaterThanOrEqualTo(8);
    running.admit(saying("/", "all"));
    running.admit(saying("/x/y", "longer"));
    try (PlainClient client = new PlainClient(running.server().port())) {
      assertThat(client.get("/x").text()).isEqualTo("all");
      assertThat(client.get("/%78/./y").text()).isEqualTo("longer");
      running.evict("/");
      assertThat(client.get("/x").text()).isEqualTo("the site");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void whatHasBegunIsFinishedByTheOldOne(Backend backend) throws Exception {
    Route slow =
        Route.at("/slow")
            .withSlowHandler((request, responder) -> {
              if (request.body().length == 0) {
                begun.countDown();
                goOn.await();
              }
              responder.send("old " + request.body().length);
            });
    HttpServer running = start(backend, saying("/fast", "old"), slow);
    try (PlainClient held = new PlainClient(running.server().port());
        PlainClient uploading = new PlainClient(running.server().port());
        PlainClient waiting = new PlainClient(running.server().port())) {
      // 100 says that the head was read and the body is waited for
      held.send("POST /fast" + UPLOAD + "Expect: 100-continue\r\n\r\n");
      assertThat(held.reply().status()).isEqualTo(100);
      uploading.send("POST /slow" + UPLOAD + "Expect: 100-continue\r\n\r\n");
      assertThat(uploading.reply().status()).isEqualTo(100);
      waiting.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n");
      begun.await();
      running.admit(saying("/fast", "new"));
      running.admit(saying("/slow", "new"));
      held.send("123");
      assertThat(uploading.send("123456").reply().text()).isEqualTo("old 6");
      assertThat(uploading.get("/slow").text()).isEqualTo("new");
      running.evict("/fast");
      running.evict("/slow");
      assertThat(held.send("456").reply().text()).isEqualTo("old");
      assertThat(held.get("/fast").status()).isEqualTo(404);
      waiting.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n");
      goOn.countDown();
      assertThat(waiting.reply().text()).isEqualTo("old 0");
      assertThat(waiting.reply().status()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void oneThatCannotBeMadeFailsItsOwnRequestsOnly(Backend backend) throws IOException {
    HttpServer running = start(backend);
    Route broken =
        Route.at("/broken")
            .withInterruptlet(() -> {
              throw new IllegalStateException("on purpose");
            });
    running.admit(broken);
    running.admit(saying("/fine", "fine"));
    try (PlainClient client = new PlainClient(running.server().port())) {
      assertThat(client.get("/broken").status()).isEqualTo(500);
      assertThat(client.get("/fine").text()).isEqualTo("fine");
      assertThat(client.get("/x").text()).isEqualTo("the site");
      running.admit(saying("/broken", "repaired"));
      assertThat(client.get("/broken").text()).isEqualTo("repaired");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void underLoadNoClientIsAnsweredByAnOlderOneThanBefore(Backend backend) throws Exception {
    HttpServer running = start(backend, saying("/v", "0"));
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger admitted = new AtomicInteger();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        clients.add(
            threads.submit(() -> {
              try (PlainClient client = new PlainClient(running.server().port())) {
                Await await = new Await();
                while (admitted.get() < 500) {
                  await.check("the last version");
                  int least = admitted.get();
                  int version = Integer.parseInt(client.get("/v").text());
                  assertThat(version).isGreaterThanOrEqualTo(least);
                  answered.incrementAndGet();
                }
              }
              return null;
            }));
      }
      Await.until("an answer", () -> answered.get() > 0); // a busy machine may start them late
      for (int i = 1; i <= 500; i++) {
        running.admit(saying("/v", Integer.toString(i)));
        admitted.set(i);
        Thread.sleep(1);
      }
      for (Future<?> each : clients) {
        each.get();
      }
    }
  }
}
