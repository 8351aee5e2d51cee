package sluice.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.domain.Domain;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.testbase.Await;

/// Tests plug-ins behind a server of this process: their replies, the limits on calls, the fate of
/// running calls when a client, a version or a domain ends, and restarts.
@Timeout(240)
final class HttpPluginTest extends PluginServerRig {
  private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void endClients() {
    clients.shutdownNow();
  }

  // ---- plug-ins -----------------------------------------------------------------------------

  /// A plug-in that does what the query string says.
  public static class One implements HttpPlugin {
    private volatile int turns;

    @Override
    public PluginReply handle(PluginRequest request) throws Exception {
      String query = request.query() == null ? "" : request.query();
      return switch (query.replaceAll("[^a-z]", "")) {
        case "loop" -> loop();
        case "sleep" -> {
          Thread.sleep(Long.parseLong(query.replaceAll("[^0-9]", "")));
          yield PluginReply.text("slept");
        }
        case "null" -> none();
        case "start" -> starts();
        case "throw" -> throw new IllegalStateException("out of luck");
        case "empty" -> PluginReply.of(204, "text/plain", new byte[0]).withHeader("X-A", "b");
        case "unchanged" ->
            PluginReply.of(304, "text/plain", "not sent".getBytes(StandardCharsets.US_ASCII));
        case "split" -> PluginReply.text("").withHeader("X-Good", "a").withHeader("X-A", "b\r\nc");
        case "large" -> PluginReply.of(200, "text/plain", large(query));
        case "echo" -> PluginReply.of(201, "text/x-echo", request.body());
        default -> PluginReply.text(version());
      };
    }

    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a plug-in must not do
    private static PluginReply none() {
      return null;
    }

    /// Starts threads of its own, and threads that the JDK starts for it.
    private PluginReply starts() {
      new Thread(this::loop).start();
      Thread.ofPlatform().daemon().start(this::loop);
      Thread.ofVirtual().start(this::loop);
      CompletableFuture<String> late = new CompletableFuture<>();
      CompletableFuture<String> _ = late.thenApply(text -> text + loop().status());
      CompletableFuture<String> _ = late.completeOnTimeout("late", 20, TimeUnit.MILLISECONDS);
      CompletableFuture<?> _ = CompletableFuture.runAsync(this::loop);
      ExecutorService pool = Executors.newFixedThreadPool(2);
      Future<?> _ = pool.submit(this::loop);
      return PluginReply.text("started");
    }

    private static byte[] large(String query) {
      byte[] bytes = new byte[Integer.parseInt(query.replaceAll("[^0-9]", ""))];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) ('a' + i % 26);
      }
      return bytes;
    }

    private PluginReply loop() {
      while (turns >= 0) {
        try {
          turns = (turns + 1) & 7;
        } catch (RuntimeException e) {
          turns = 0;
        }
      }
      return PluginReply.text("never");
    }

    String version() {
      return "version 1";
    }
  }

  /// A second version of the plug-in.
  public static final class Two extends One {
    @Override
    String version() {
      return "version 2";
    }
  }

  private Path one() throws IOException {
    return jar("api", HttpPlugin.class, One.class);
  }

  private Path two() throws IOException {
    return jar("api", HttpPlugin.class, Two.class, One.class);
  }

  private Future<String> asking(String target) {
    return clients.submit(() -> get(target));
  }

  private static String now(Future<String> reply) throws Exception {
    return reply.get(Await.SECONDS, TimeUnit.SECONDS);
  }

  private static boolean hasCalls(int calls) {
    return domain("api").stat().threads() >= calls;
  }

  // ---- tests --------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"epoll", "io_uring", "jdk"})
  void repliesAreSentAsTheyAre(String backend) throws Exception {
    start("plugin", "/api=" + one(), "backend", backend);
    assertThat(get("/api")).isEqualTo("200 version 1");
    assertThat(get("/api?throw")).isEqualTo("500 500 Internal Server Error\n");
    awaitMessage("answers 500 to GET /api?throw: java.lang.IllegalStateException: out of luck at ");
    assertThat(get("/api?null")).startsWith("500");
    assertThat(get("/api?split")).startsWith("500");
    assertThat(ask("GET /api?split HTTP/1.1\r\n", "")).doesNotContain("X-Good", "X-A");
    assertThat(ask("GET /api?empty HTTP/1.1\r\n", "")).contains("X-A: b").endsWith("\r\n\r\n");
    assertThat(ask("GET /api?unchanged HTTP/1.1\r\n", "")).endsWith("\r\n\r\n");
    assertThat(ask("HEAD /api HTTP/1.1\r\n", ""))
        .contains("Content-Length: 9")
        .endsWith("\r\n\r\n");
    String body = "b".repeat(100_000);
    assertThat(ask("POST /api?echo HTTP/1.1\r\nContent-Length: 100000\r\n", body))
        .startsWith("HTTP/1.1 201")
        .endsWith("\r\n\r\n" + body);
    for (int bytes : new int[] {65_535, 65_536, 65_537, 5_000_000}) {
      String reply = get("/api?large" + bytes);
      assertThat(reply).hasSize(bytes + 4).startsWith("200 abc");
    }
    assertThat(ask("POST /api?echo HTTP/1.1\r\nContent-Length: 1048577\r\n", ""))
        .startsWith("HTTP/1.1 413");
  }

  @Test
  void asManyCallsRunAndWaitAsDeclared() throws Exception {
    start(
        "plugin",
        "/api=" + one(),
        "plugin-calls",
        "2",
        "plugin-waiting",
        "1",
        "plugin-timeout",
        "100");
    List<Future<String>> replies = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      replies.add(asking("/api?sleep1000"));
    }
    int served = 0;
    for (Future<String> each : replies) {
      served += now(each).equals("200 slept") ? 1 : 0;
    }
    assertThat(served).isBetween(3, 11);
    awaitMessage(" calls run, 0 of them too long, and ");
    Await.until("a free place", () -> get("/api").equals("200 version 1"));
    for (int i = 0; i < 200; i++) {
      assertThat(get("/api")).isEqualTo("200 version 1");
    }
  }

  @Test
  void aClientThatReadsSlowlyTakesNoPlace() throws Exception {
    start("plugin", "/api=" + one(), "plugin-calls", "1", "plugin-waiting", "0");
    try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), port())) {
      slow.setReceiveBufferSize(4096);
      slow.getOutputStream()
          .write(
              "GET /api?large30000000 HTTP/1.1\r\nHost: a\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(slow.getInputStream().readNBytes(100)).hasSize(100);
      for (int i = 0; i < 100; i++) {
        assertThat(get("/api")).isEqualTo("200 version 1");
      }
    }
  }

  @Test
  void aCallWhoseClientHasGoneEndsAndIsForgotten() throws Exception {
    start("plugin", "/api=" + one(), "plugin-calls", "1", "plugin-waiting", "0");
    for (int i = 0; i < 10; i++) {
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port())) {
        client
            .getOutputStream()
            .write(
                "GET /api?sleep20 HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        client.setSoLinger(true, 0);
      }
      Await.until("the place", () -> get("/api").equals("200 version 1"));
    }
    assertThat(get("/")).isEqualTo("200 home");
  }

  @Test
  void aLateCallIsInterruptedAndItsPlaceIsFree() throws Exception {
    start(
        "plugin",
        "/api=" + one(),
        "plugin-calls",
        "1",
        "plugin-waiting",
        "1",
        "plugin-timeout",
        "1");
    Domain before = domain("api");
    assertThat(get("/api?sleep600000")).startsWith("503");
    awaitMessage("answers 503: no reply to GET /api?sleep600000 within 1 s");
    Await.until("the place", () -> get("/api").equals("200 version 1"));
    Thread.sleep(1500); // the call has ended, so nothing is restarted
    assertThat(domain("api")).isSameAs(before);
    assertThat(messages.toString()).doesNotContain("Restart");
  }

  @Test
  void callsUnderWayEndWithTheirDomain() throws Exception {
    start("plugin", "/api=" + one(), "plugin-calls", "4", "plugin-timeout", "100");
    List<Future<String>> replies = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      replies.add(asking("/api?sleep60000"));
    }
    Await.until("calls that run", () -> hasCalls(4));
    domain("api").kill();
    for (Future<String> each : replies) {
      assertThat(now(each)).startsWith("503");
    }
    awaitMessage("answers 503: its domain has ended: it was killed");
    awaitMessage("503 until 'sluice reload' or SIGHUP loads it again");
    assertThat(get("/")).isEqualTo("200 home");
    assertThat(server().reload(messages::add)).isTrue();
    assertThat(get("/api")).isEqualTo("200 version 1");
  }

  @Test
  void noRequestFailsWhileVersionsTakeTurns() throws Exception {
    start("plugin", "/api=" + one(), "plugin-timeout", "60");
    AtomicBoolean isOver = new AtomicBoolean();
    Map<String, Integer> seen = new ConcurrentHashMap<>();
    List<Future<Integer>> loads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Callable<Integer> load =
          () -> {
            int count = 0;
            while (!isOver.get()) {
              seen.merge(get(count++ % 8 == 0 ? "/api?sleep5" : "/api"), 1, Integer::sum);
            }
            return count;
          };
      loads.add(clients.submit(load));
    }
    for (int i = 0; i < 6; i++) {
      Path _ = i % 2 == 0 ? two() : one();
      assertThat(server().reload(messages::add)).isTrue();
      Thread.sleep(100);
    }
    isOver.set(true);
    for (Future<Integer> each : loads) {
      assertThat(each.get(Await.SECONDS, TimeUnit.SECONDS)).isPositive();
    }
    assertThat(seen.keySet())
        .containsExactlyInAnyOrder("200 version 1", "200 version 2", "200 slept");
  }

  @Test
  void aPluginThatHangsIsLoadedAgainFromTheBytesThatItHad() throws Exception {
    start("plugin", "/api=" + one(), "plugin-timeout", "1");
    Domain first = domain("api");
    assertThat(get("/api")).isEqualTo("200 version 1");
    Path jar = two(); // a restart does not load it
    assertThat(get("/api?loop")).startsWith("503");
    Await.until("the end", () -> !first.alive());
    assertThat(get("/")).isEqualTo("200 home");
    Await.until("a restart", () -> get("/api").equals("200 version 1"));
    awaitMessage(
        "plug-in /api has ended: its answer to GET /api?loop took longer than 1 s, and did not end"
            + " when it was interrupted. Restart 1: it is loaded again in 100 ms");
    assertThat(get("/api?loop")).startsWith("503");
    awaitMessage("Restart 2: it is loaded again in 200 ms");
    Await.until("another", () -> get("/api").equals("200 version 1"));
    Domain last = domain("api");
    assertThat(last).isNotSameAs(first);
    assertThat(first.awaitEnd(Duration.ofSeconds(Await.SECONDS))).isTrue();
    assertThat(server().reload(messages::add)).isTrue();
    Await.until("the new version", () -> get("/api").equals("200 version 2"));
    awaitMessage("was loaded again from " + jar);
    assertThat(messages.stream().filter(each -> each.contains("Restart")).count()).isEqualTo(2);
  }

  @Test
  void whatCallsHaveStartedEndsWithTheDomain() throws Exception {
    start("plugin", "/api=" + one(), "plugin-calls", "4", "plugin-timeout", "100");
    Domain first = domain("api");
    for (int i = 0; i < 4; i++) {
      assertThat(get("/api?start")).isEqualTo("200 started");
    }
    Await.until("threads", () -> first.stat().threads() >= 16);
    first.kill();
    assertThat(first.awaitEnd(Duration.ofSeconds(Await.SECONDS))).isTrue();
    assertThat(first.stat().threads()).isZero();
    assertThat(get("/")).isEqualTo("200 home");
  }

  @Test
  void whatIsNotToBeRestartedGoesOn() throws Exception {
    start("plugin", "/api=" + one(), "plugin-timeout", "1", "plugin-restart", "never");
    Domain first = domain("api");
    assertThat(get("/api?loop")).startsWith("503");
    Thread.sleep(2500);
    assertThat(domain("api")).isSameAs(first);
    assertThat(get("/api")).isEqualTo("200 version 1");
    assertThat(messages.toString()).doesNotContain("has ended");
  }

  @Test
  void aReloadTakesThePlaceOfARestart() throws Exception {
    start("plugin", "/api=" + one(), "plugin-timeout", "1");
    Domain first = domain("api");
    assertThat(get("/api?loop")).startsWith("503");
    Await.until("the end", () -> !first.alive());
    Path _ = two();
    assertThat(server().reload(messages::add)).isTrue();
    Await.until("the new version", () -> get("/api").equals("200 version 2"));
    Thread.sleep(500);
    assertThat(get("/api")).isEqualTo("200 version 2");
  }

  @ParameterizedTest
  @CsvSource({
    "plugin-calls, 0, calls of a plug-in is a number from 1 to 256: 0",
    "plugin-calls, many, calls of a plug-in is a number from 1 to 256: many",
    "plugin-waiting, -1, waiting of a plug-in is a number from 0 to 4096: -1",
    "plugin-restart, sometimes, restart of a plug-in is always or never: sometimes"
  })
  void whatIsNoTermIsRefused(String name, String value, String message) throws Exception {
    Path jar = one();
    assertThatThrownBy(() -> start("plugin", "/api=" + jar, name, value)).hasMessage(message);
    assertThatThrownBy(() -> start(name, value, "plugin", "/api=" + jar))
        .hasMessageContaining("--" + name + " follows the --plugin that it is for");
  }
}
