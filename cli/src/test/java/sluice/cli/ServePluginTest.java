package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.testbase.Await;

/// Tests `sluice serve --plugin` in a separate process: static files are not affected by a plug-in,
/// and the budget, the end and the replacement of a plug-in.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class ServePluginTest extends PluginRig {
  /// A plug-in that replies, throws or never returns.
  public static class One implements HttpPlugin {
    private volatile long turns;

    @Override
    public PluginReply handle(PluginRequest request) throws Exception {
      switch (request.path()) {
        case "/api/loop" -> {
          while (turns >= 0) {
            try {
              turns = (turns + 1) & 7;
            } catch (RuntimeException e) {
              turns = 0;
            }
          }
        }
        case "/api/sleep" -> Thread.sleep(600_000);
        case "/api/throw" -> throw new IllegalStateException("out of luck");
        case "/api/echo" -> {
          PluginReply echo = PluginReply.of(201, "text/x-echo", request.body());
          return echo.withHeader("X-Query", request.method() + " " + request.query());
        }
        case "/api/split" -> {
          return PluginReply.text("").withHeader("X-A", "b\r\nX-C: d");
        }
        default -> {}
      }
      return PluginReply.text(version());
    }

    String version() {
      return "version 1";
    }
  }

  /// A second version of the plug-in.
  public static final class Two implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      return PluginReply.text("version 2");
    }
  }

  /// A plug-in that is refused, because a class with a native method is not loaded.
  public static final class Native implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      return PluginReply.text(text());
    }

    private static native String text();
  }

  /// A plug-in that makes a refused call.
  public static final class Exits implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      if ("exit".equals(request.query())) {
        System.exit(3);
      }
      return PluginReply.text("stays");
    }
  }

  /// A plug-in that cannot be created.
  public static final class Hangs implements HttpPlugin {
    private int turns;

    /// Never returns.
    public Hangs() {
      while (turns >= 0) {
        turns = (turns + 1) & 7;
      }
    }

    @Override
    public PluginReply handle(PluginRequest request) {
      return PluginReply.text("");
    }
  }

  private CompletableFuture<HttpResponse<String>> ask(String path) {
    return client.sendAsync(to(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private void awaitTold(String what) throws Exception {
    Await.until(what + " in: " + told, () -> told.toString().contains(what));
  }

  @Test
  void whatLoopsIsHeldKilledAndReplacedBesideStaticFiles() throws Exception {
    String jar = plugin(One.class).toString();
    start(
        "--backend",
        "epoll",
        "--plugin",
        "/api=" + jar,
        "--budget",
        "cpu=30%",
        "--plugin-restart",
        "never",
        "--plugin-timeout",
        "1");
    assertThat(get("/api")).isEqualTo("200 version 1");
    List<CompletableFuture<HttpResponse<String>>> loops = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      loops.add(ask("/api/loop"));
    }
    for (int i = 0; i < 200; i++) {
      assertThat(get("/")).isEqualTo("200 the site");
    }
    for (CompletableFuture<HttpResponse<String>> loop : loops) {
      HttpResponse<String> reply = loop.get(Await.SECONDS, TimeUnit.SECONDS);
      assertThat(reply.statusCode()).isEqualTo(503);
      assertThat(reply.headers().firstValue("Retry-After")).hasValue("1");
    }
    Await.until("the budget to be felt", () -> get("/api").startsWith("503"));
    awaitTold("plug-in /api answers 503: its domain api is over its budget cpu=30%");
    String dir = "--dir=" + directory.resolve("run");
    assertThat(output("domain", "ls", dir)).contains(" api ");
    assertThat(output("domain", "stat", "api", dir)).contains("cpu_ms");
    assertThat(output("domain", "kill", "api", dir)).contains("domain api of process", "has ended");
    awaitTold("plug-in /api has ended: it was killed by sluice domain kill. Its requests are");
    assertThat(get("/api")).startsWith("503");
    assertThat(get("/")).isEqualTo("200 the site");
    plugin(Two.class);
    signal("HUP");
    Await.until("the new version", () -> get("/api").equals("200 version 2"));
    awaitTold("plug-in /api was loaded again from " + jar);
    Await.until(
        "the new domain to be counted",
        () -> output("domain", "stat", "api", "--json", dir).contains("\"alive\""));
    terminate();
    assertThat(directory.resolve("run")).isEmptyDirectory();
  }

  @Test
  void whatHangsIsLoadedAgainAndCountedUntilItIsKilled() throws Exception {
    String jar = plugin(One.class).toString();
    start("--backend=epoll", "--plugin=/api=" + jar, "--plugin-calls=4", "--plugin-timeout=1");
    assertThat(get("/api/loop")).startsWith("503");
    awaitTold("Restart 1: it is loaded again in 100 ms");
    Await.until("the restart", () -> get("/api").equals("200 version 1"));
    String dir = "--dir=" + directory.resolve("run");
    Await.until(
        "the restart to be counted",
        () -> output("domain", "stat", "api", "--json", dir).contains("\"restarts\":1"));
    assertThat(output("domain", "kill", "api", dir)).contains("has ended");
    awaitTold(
        "has ended: it was killed by sluice domain kill. Its requests are answered 503 until");
    Thread.sleep(500); // it must not be loaded automatically
    assertThat(get("/api")).startsWith("503");
    signal("HUP");
    Await.until("an operator's reload", () -> get("/api").equals("200 version 1"));
    terminate();
  }

  @Test
  void aNewVersionTakesOverWithNoFailedRequest() throws Exception {
    Path jar = plugin(One.class);
    start("--backend=epoll", "--plugin=/api=" + jar, "--plugin-timeout=5");
    checkData();
    List<String> replies = new ArrayList<>();
    CompletableFuture<HttpResponse<String>> sleeps = ask("/api/sleep");
    for (int i = 0; i < 20; i++) {
      replies.add(get("/api"));
    }
    Files.writeString(jar, "half a jar");
    signal("HUP");
    awaitTold("plug-in /api stays as it was: cannot load plug-in /api from " + jar + ". Why: it");
    replies.add(get("/api"));
    assertThat(replies).containsOnly("200 version 1");
    plugin(Two.class);
    signal("HUP");
    Await.until(
        "the new version",
        () -> {
          replies.add(get("/api"));
          assertThat(get("/")).isEqualTo("200 the site");
          return replies.getLast().endsWith("2");
        });
    assertThat(replies).containsOnly("200 version 1", "200 version 2");
    assertThat(get("/api")).isEqualTo("200 version 2");
    assertThat(sleeps.get(Await.SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
    terminate();
  }

  /// Checks that requests and replies pass through the domain, and that failures are reported.
  private void checkData() throws Exception {
    HttpResponse<String> echo =
        client.send(
            to("/api/echo?a=b").POST(HttpRequest.BodyPublishers.ofString("body")).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(echo.statusCode()).isEqualTo(201);
    assertThat(echo.body()).isEqualTo("body");
    assertThat(echo.headers().firstValue("Content-Type")).hasValue("text/x-echo");
    assertThat(echo.headers().firstValue("X-Query")).hasValue("POST a=b");
    assertThat(get("/api/throw")).startsWith("500");
    awaitTold("answers 500 to GET /api/throw: java.lang.IllegalStateException: out of luck at ");
    HttpResponse<String> split =
        client.send(to("/api/split").build(), HttpResponse.BodyHandlers.ofString());
    assertThat(split.statusCode()).isEqualTo(500);
    assertThat(split.headers().firstValue("X-C")).isEmpty();
  }

  static Stream<Arguments> refused() {
    String service = HttpPlugin.class.getName();
    return Stream.of(
        arguments(
            Native.class, service, "ServePluginTest$Native.text()", "native method. Why: native"),
        arguments(Hangs.class, service, "Hangs did not return within 1 s", "--plugin-timeout."),
        arguments(
            String.class,
            service,
            "java.lang.String implements none of HttpPlugin, StreamPlugin and ViewPlugin",
            ""),
        arguments(One.class, "other", "Why: it names no plug-in", "into META-INF/services/"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void aJarThatIsRefusedIsToldAtTheStart(Class<?> type, String service, String where, String why)
      throws Exception {
    Path jar = jar(directory.resolve("bad.jar"), service, type);
    assertThat(serve("--plugin", "/api=" + jar, "--plugin-timeout", "1"))
        .startsWith("1 sluice: cannot load plug-in /api from " + jar)
        .contains(where, why, "Fix: ");
  }

  @Test
  void aRefusedCallIsToldAndAnswered500() throws Exception {
    start("--backend=epoll", "--plugin=/api=" + plugin(Exits.class));
    assertThat(get("/api")).isEqualTo("200 stays");
    assertThat(get("/api?exit")).startsWith("500");
    awaitTold(Exits.class.getName() + ".handle(");
    awaitTold("java.lang.System.exit. Why: it ends the JVM of all domains. Fix: ");
    awaitTold("plug-in /api has calls that a domain refuses when they are made, such as ");
    assertThat(get("/api")).isEqualTo("200 stays");
    terminate();
  }

  @Test
  void wrongUsageIsTold() {
    assertThat(serve("--plugin", "/api=none.jar"))
        .startsWith("1 ")
        .contains("from none.jar. Why: there is no such file. Fix: ");
    assertThat(serve("--plugin", "/api")).startsWith("2 ").contains("PATH=JAR");
    assertThat(serve("--plugin", "api=x.jar")).startsWith("2 ").contains("starts with a slash");
    assertThat(serve("--plugin", "/a=x.jar", "--plugin", "/a=y.jar")).contains("/a twice");
    assertThat(serve("--budget", "cpu=1%")).startsWith("2 ").contains("follows the --plugin");
    assertThat(serve("--plugin", "/a=x.jar", "--budget", "cpu=much")).contains("not understood");
  }

  private String serve(String... options) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(err, true, StandardCharsets.UTF_8);
    List<String> words = new ArrayList<>(List.of(directory.toString(), "--port", "0"));
    words.addAll(List.of(options));
    return Serve.run(words, print, print) + " " + err.toString(StandardCharsets.UTF_8);
  }
}
