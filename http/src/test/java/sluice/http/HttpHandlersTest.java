package sluice.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.handlers.ClientGoneException;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpReply;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.Route;
import sluice.http.parse.HttpRequest;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.loop.server.Watchdog;
import sluice.testbase.Await;

/// Interruptlets and slow handlers behind a real server, on each of the Linux engines.
@Timeout(240)
class HttpHandlersTest {
  @TempDir Path directory = Path.of(".");

  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch clientGone = new CountDownLatch(1);
  private final AtomicLong written = new AtomicLong();
  private @Nullable HttpServer server;

  @BeforeEach
  void site() throws IOException {
    Files.writeString(directory.resolve("index.html"), "the site");
    Files.createDirectory(directory.resolve("counter"));
    Files.writeString(directory.resolve("counter/file.txt"), "a file");
  }

  @AfterEach
  void close() {
    release.countDown();
    if (server != null) {
      server.close();
    }
  }

  private PlainClient start(Backend backend, Route... routes) throws IOException {
    ServerConfig config = ServerConfig.onLoopback("test", 0).withBackend(backend);
    HttpServer started =
        HttpServer.start(
            HttpConfig.of(config, Site.of(directory))
                .withRoutes(Arrays.stream(routes).map(HttpHandlersTest::unhurried).toList()),
            line -> {});
    server = started;
    return new PlainClient(started.server().port());
  }

  /// With time for a cold machine, unless a test has named another limit.
  private static Route unhurried(Route route) {
    boolean named = !route.limit().equals(Route.at("/").limit());
    return named ? route : route.withLimit(Duration.ofMinutes(1));
  }

  private HttpServer server() {
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server;
  }

  private static Route counter() {
    return Route.at("/counter")
        .withInterruptlet(() ->
            new HttpInterruptlet() {
              private long calls;

              @Override
              public boolean handle(HttpRequest request, HttpReply reply) {
                reply.status(200).field("Content-Type", "text/plain").field("X-Two", "a\tb");
                reply.text("call ").number(++calls).text(" é");
                return !request.hasQuery();
              }
            });
  }

  /// It may answer the next one: requests that repeat are shown to it one by one.
  @Test
  void anInterruptletThatDeclinesSeesEachRequest() throws IOException {
    try (PlainClient client = start(Backend.IO_URING, counter());
        HttpPeer peer = new HttpPeer(server().server().port())) {
      assertThat(client.get("/counter/file.txt?q").text()).isEqualTo("a file");
      peer.send(HttpPeer.text("GET", "/counter/file.txt?q").repeat(20));
      for (int i = 0; i < 20; i++) {
        assertThat(peer.read().text()).isEqualTo("a file");
      }
      assertThat(client.get("/counter").text()).isEqualTo("call 22 é");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void anInterruptletAnswersInPlace(Backend backend) throws IOException {
    try (PlainClient client = start(backend, counter())) {
      PlainClient.Reply first = client.get("/counter");
      assertThat(first.status()).isEqualTo(200);
      assertThat(first.text()).isEqualTo("call 1 é");
      assertThat(first.field("X-Two")).isEqualTo("a\tb");
      assertThat(first.field("Date")).isNotEmpty();
      assertThat(first.fields()).doesNotContainKey("connection");
      PlainClient.Reply head = client.request("HEAD", "/counter/");
      assertThat(head.field("Content-Length")).isEqualTo("9");
      assertThat(client.get("/counter/below").text()).isEqualTo("call 3 é");
      assertThat(client.get("/%63ounter").text()).isEqualTo("call 4 é");
      assertThat(client.get("/x/../counter").text()).isEqualTo("call 5 é");
      assertThat(client.get("/counterfeit").status()).isEqualTo(404);
      assertThat(client.get("/").text()).isEqualTo("the site");
      assertThat(client.request("TRACE", "/counter").status()).isEqualTo(405);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void whatItPassesIsAnsweredByTheSite(Backend backend) throws IOException {
    try (PlainClient client = start(backend, counter())) {
      PlainClient.Reply passed = client.get("/counter/file.txt?q");
      assertThat(passed.text()).isEqualTo("a file");
      assertThat(passed.raw()).doesNotContain("X-Two");
      client.send("GET /counter HTTP/1.1\r\nHost: t\r\n\r\n".repeat(3));
      client.send("GET /counter/file.txt?q HTTP/1.1\r\nHost: t\r\n\r\n".repeat(3));
      client.send("GET /counter HTTP/1.1\r\nHost: t\r\n\r\n".repeat(3));
      for (int i = 0; i < 9; i++) {
        assertThat(client.reply().text()).startsWith(i / 3 == 1 ? "a file" : "call");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void closingAndKeepingAreSaid(Backend backend) throws IOException {
    Route closing =
        Route.at("/close")
            .withInterruptlet(() ->
                (request, reply) -> {
                  reply.status(204).close();
                  return true;
                });
    try (PlainClient client = start(backend, counter(), closing)) {
      client.send("GET /counter HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      assertThat(client.reply().field("Connection")).isEqualTo("keep-alive");
      PlainClient.Reply last = client.get("/close");
      assertThat(last.field("Connection")).isEqualTo("close");
      assertThat(last.fields()).doesNotContainKey("content-length");
      assertThat(client.ended()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void anInterruptletSeesTheWholeBody(Backend backend) throws IOException {
    Route echo =
        Route.at("/echo")
            .withInterruptlet(() ->
                (request, reply) -> {
                  int from = request.from() + request.headLength();
                  reply.body(request.view(), from, from + (int) request.contentLength());
                  return true;
                });
    String large = "y".repeat(10_000);
    try (PlainClient client = start(backend, echo)) {
      client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10000\r\n\r\n" + large);
      assertThat(client.reply().text()).isEqualTo(large);
      client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 6\r\n");
      client.send("Expect: 100-continue\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(100);
      for (char c : "abcdef".toCharArray()) {
        client.send(String.valueOf(c));
      }
      assertThat(client.reply().text()).isEqualTo("abcdef");
      assertThat(client.get("/echo").text()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void whatItThrowsIsA500(Backend backend) throws IOException {
    Route broken =
        Route.at("/broken")
            .withInterruptlet(() ->
                (request, reply) -> {
                  reply.status(200).text("half of it");
                  return reply.field("Too-Late", "") == reply;
                });
    Route splitting =
        Route.at("/split")
            .withInterruptlet(() ->
                (request, reply) -> {
                  reply.field("A", "b\r\nContent-Length: 0");
                  return true;
                });
    try (PlainClient client = start(backend, broken, splitting)) {
      assertThat(client.get("/broken").status()).isEqualTo(500);
      assertThat(client.get("/split").status()).isEqualTo(500);
      assertThat(server().guards()).extracting(guard -> guard.times().failures()).containsOnly(1L);
      assertThat(client.get("/").text()).isEqualTo("the site");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void oneThatOverrunsIsDisabled(Backend backend) throws Exception {
    Route slow =
        Route.at("/slow")
            .withLimit(Duration.ofMillis(20))
            .withInterruptlet(() ->
                (request, reply) -> {
                  Watchdog watchdog = server().server().watchdog();
                  long before = watchdog.overruns();
                  Await await = new Await();
                  while (watchdog.overruns() == before) {
                    await.check("an overrun");
                  }
                  return true;
                });
    Route both = slow.withSlowHandler((request, responder) -> responder.send("slowly"));
    Route other = new Route("/both", both.interruptlets(), both.deferred(), 0, both.limit(), "");
    try (PlainClient client = start(backend, slow, other)) {
      assertThat(server().server().watchdog().healthy()).isTrue();
      assertThat(client.get("/slow").status()).isEqualTo(200);
      assertThat(client.get("/slow").status()).isEqualTo(503);
      assertThat(server().server().watchdog().healthy()).isFalse();
      assertThat(server().guards().getFirst().disabled()).isTrue();
      assertThat(client.get("/both").text()).isEmpty();
      assertThat(client.get("/both").text()).isEqualTo("slowly");
      server().guards().getFirst().enable();
      assertThat(client.get("/slow").status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void aSlowHandlerGetsACopyOfTheRequest(Backend backend) throws IOException {
    Route upload =
        Route.at("/upload")
            .withBodyBytes(100_000)
            .withSlowHandler((request, responder) ->
                responder
                    .status(201)
                    .field("X-Query", String.valueOf(request.query()))
                    .send(
                        request.methodName()
                            + " "
                            + request.path()
                            + " "
                            + request.headers("x-a")
                            + " "
                            + new String(request.body(), StandardCharsets.UTF_8)));
    try (PlainClient client = start(backend, upload)) {
      PlainClient.Reply none = client.get("/upload/%41?q=1&r");
      assertThat(none.status()).isEqualTo(201);
      assertThat(none.text()).isEqualTo("GET /upload/A [] ");
      assertThat(none.field("X-Query")).isEqualTo("q=1&r");
      client.send("PATCHY /upload HTTP/1.1\r\nHost: t\r\nX-A: 1\r\nx-a: 2\r\n");
      client.send("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      client.send("2\r\nde\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n");
      assertThat(client.reply().text()).isEqualTo("PATCHY /upload [1, 2] abcde");
      assertThat(client.reply().text()).isEqualTo("the site");
      String body = "z".repeat(100_000);
      client.send("PUT /upload HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n");
      client.send("Expect: 100-continue\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(100);
      client.send(body);
      assertThat(client.reply().text()).endsWith(body);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void bodiesBeyondTheLimitAreRefused(Backend backend) throws IOException {
    Route small =
        Route.at("/small")
            .withBodyBytes(10)
            .withSlowHandler((request, responder) -> responder.send(request.body()));
    try (PlainClient client = start(backend, small)) {
      client.send("POST /small HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\n\r\n12345678901");
      assertThat(client.reply().status()).isEqualTo(413);
      client.send("POST /small HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n1234567890");
      assertThat(client.reply().text()).isEqualTo("1234567890");
      client.send("POST /small HTTP/1.1\r\nHost: t\r\nContent-Length: 9000\r\n");
      client.send("Expect: 100-continue\r\n\r\n");
      PlainClient.Reply refused = client.reply();
      assertThat(refused.status()).isEqualTo(413);
      assertThat(refused.field("Connection")).isEqualTo("close");
    }
    try (PlainClient client = new PlainClient(server().server().port())) {
      client.send("POST /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.send("9\r\n123456789\r\n9\r\n123456789\r\n0\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(413);
      assertThat(client.ended()).isTrue();
    }
  }

  /// Without a thread of the server that waits: here, later from another thread, or not at all.
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void anAsyncHandlerAnswersWhenItLikes(Backend backend) throws IOException {
    ArrayBlockingQueue<Runnable> later = new ArrayBlockingQueue<>(10);
    Route route =
        Route.at("/async")
            .withAsyncHandler((request, responder, loop) -> {
              byte[] echo = (request.methodName() + request.query()).getBytes(US_ASCII);
              switch (String.valueOf(request.query())) {
                case "here" -> responder.status(201).field("X-A", "b").sendHere(echo);
                case "loop" ->
                    later.add(() -> loop.execute(() -> responder.status(202).sendHere(echo)));
                case "other" -> later.add(() -> sendAll(responder.status(203), request.body()));
                case "reset" -> responder.status(500).field("X-A", "b").reset().sendHere(echo);
                default -> throw new IllegalStateException("out of luck");
              }
            });
    try (PlainClient client = start(backend, route, counter())) {
      PlainClient.Reply here = client.get("/async?here");
      assertThat(here.status() + here.text() + here.field("X-A")).isEqualTo("201GEThereb");
      assertThat(client.request("HEAD", "/async?here").field("Content-Length")).isEqualTo("8");
      PlainClient.Reply reset = client.get("/async?reset");
      assertThat(reset.status()).isEqualTo(200);
      assertThat(reset.fields()).doesNotContainKey("x-a");
      assertThat(client.get("/async?throw").status()).isEqualTo(500);
      String body = "z".repeat(500_000);
      client.send("POST /async?other HTTP/1.1\r\nHost: t\r\nContent-Length: 500000\r\n\r\n" + body);
      client.send("GET /async?loop HTTP/1.1\r\nHost: t\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n");
      run(later);
      PlainClient.Reply other = client.reply();
      assertThat(other.status()).isEqualTo(203);
      assertThat(other.text()).isEqualTo(body);
      run(later);
      assertThat(client.reply().text()).isEqualTo("GETloop");
      assertThat(client.reply().text()).isEqualTo("the site");
      client.send("GET /async?loop HTTP/1.1\r\nHost: t\r\n\r\n");
    }
    run(later); // whose client has gone
    try (PlainClient client = new PlainClient(server().server().port())) {
      assertThat(client.get("/async?here").text()).isEqualTo("GEThere");
    }
  }

  private static void sendAll(HttpResponder responder, byte[] body) {
    try {
      responder.send(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(ArrayBlockingQueue<Runnable> later) {
    Await.until("a request", () -> !later.isEmpty());
    later.remove().run();
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void repliesOfSlowHandlersComeInOrder(Backend backend) throws IOException {
    Route waiting =
        Route.at("/wait")
            .withSlowHandler((request, responder) -> {
              release.await(60, TimeUnit.SECONDS);
              responder.send(String.valueOf(request.query()));
            });
    try (PlainClient client = start(backend, waiting, counter())) {
      client.send(
          "GET /wait?1 HTTP/1.1\r\nHost: t\r\n\r\nGET /counter HTTP/1.1\r\nHost: t\r\n\r\n");
      client.send("GET /wait?2 HTTP/1.1\r\nHost: t\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n");
      try (PlainClient second = new PlainClient(server().server().port())) {
        assertThat(second.get("/counter").text()).startsWith("call 1");
      }
      release.countDown();
      assertThat(client.reply().text()).isEqualTo("1");
      assertThat(client.reply().text()).startsWith("call 2");
      assertThat(client.reply().text()).isEqualTo("2");
      assertThat(client.reply().text()).isEqualTo("the site");
    }
  }

  private Route report(int lines) {
    return Route.at("/report")
        .withSlowHandler((request, responder) -> {
          try (OutputStream out = responder.field("Content-Type", "text/plain").stream()) {
            for (int i = 0; i < lines; i++) {
              out.write("line %015d\n".formatted(i).getBytes(StandardCharsets.US_ASCII));
              written.addAndGet(21);
            }
          } catch (ClientGoneException e) {
            clientGone.countDown();
            throw e;
          }
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void aReportIsStreamedInChunks(Backend backend) throws IOException {
    try (PlainClient client = start(backend, report(100_000))) {
      PlainClient.Reply reply = client.get("/report");
      assertThat(reply.field("Transfer-Encoding")).isEqualTo("chunked");
      assertThat(reply.body()).hasSize(2_100_000);
      assertThat(reply.text()).endsWith("line 000000000099999\n");
      PlainClient.Reply head = client.request("HEAD", "/report");
      assertThat(head.field("Transfer-Encoding")).isEqualTo("chunked");
      client.send("GET /report HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      PlainClient.Reply old = client.reply();
      assertThat(old.field("Connection")).isEqualTo("close");
      assertThat(old.fields()).doesNotContainKey("transfer-encoding");
      assertThat(old.body()).hasSize(2_100_000);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void aHandlerWaitsForItsClientAndIsToldWhenItHasGone(Backend backend) throws Exception {
    try (PlainClient client = start(backend, report(100_000_000))) {
      client.send("GET /report HTTP/1.1\r\nHost: t\r\n\r\n");
      long before = -1;
      Await await = new Await();
      while (written.get() != before || before == 0) {
        await.check("a handler that waits");
        before = written.get();
        Thread.sleep(300);
      }
      assertThat(written.get()).isLessThan(32 << 20);
    }
    assertThat(clientGone.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void failuresOfSlowHandlersAreNoSilence(Backend backend) throws IOException {
    Route failing =
        Route.at("/fail")
            .withSlowHandler((request, responder) -> {
              if (request.query() == null) {
                throw new IOException("not today");
              }
              OutputStream out = responder.stream(100);
              out.write(new byte[50]);
              out.flush();
              throw new IllegalStateException("in the middle");
            });
    Route silent = Route.at("/silent").withSlowHandler((request, responder) -> {});
    Route large =
        Route.at("/large")
            .withSlowHandler((request, responder) -> responder.send(new byte[3_000_000]));
    try (PlainClient client = start(backend, failing, silent, large)) {
      assertThat(client.get("/fail").status()).isEqualTo(500);
      assertThat(client.get("/silent").text()).contains("500");
      assertThat(client.get("/large").body()).hasSize(3_000_000);
      assertThatThrownBy(() -> client.get("/fail?mid")).isInstanceOf(EOFException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void aDrainWaitsForSlowReplies(Backend backend) throws Exception {
    Route waiting =
        Route.at("/wait")
            .withSlowHandler((request, responder) -> {
              written.incrementAndGet();
              release.await(60, TimeUnit.SECONDS);
              responder.send("answered");
            });
    try (PlainClient client = start(backend, waiting)) {
      client.send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n");
      Await.until("the handler", () -> written.get() > 0);
      Thread drain = new Thread(() -> server().drain(Duration.ofSeconds(60)));
      drain.start();
      Await.until("the drain", () -> drain.getState() == Thread.State.TIMED_WAITING);
      release.countDown();
      PlainClient.Reply reply = client.reply();
      assertThat(reply.text()).isEqualTo("answered");
      assertThat(reply.field("Connection")).isEqualTo("close");
      drain.join();
    }
  }
}
