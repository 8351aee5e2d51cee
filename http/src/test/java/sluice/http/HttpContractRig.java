package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.testbase.Await;

/// A server on a directory of its own and clients for it; what the parts of [HttpContract] share.
abstract class HttpContractRig {
  @TempDir Path root;
  @TempDir Path outside;
  final List<AutoCloseable> opened = new ArrayList<>();
  final List<String> complaints = new ArrayList<>();
  private @Nullable HttpServer server;
  int port;

  abstract Backend backend();

  @BeforeEach
  void startServer() throws IOException {
    write("index.html", "<p>home</p>");
    write("a.txt", "alpha");
    write("b.txt", "bravo, the second file");
    start(config -> config);
  }

  /// Starts a server, in place of the running one, with another configuration.
  void start(UnaryOperator<HttpConfig> change) throws IOException {
    start(Site.of(root), change);
  }

  void start(Site site, UnaryOperator<HttpConfig> change) throws IOException {
    HttpServer before = server;
    if (before != null) {
      before.close();
    }
    ServerConfig config = ServerConfig.onLoopback("test", 0).withBackend(backend());
    HttpServer started =
        HttpServer.start(change.apply(HttpConfig.of(config, site)), complaints::add);
    server = started;
    port = started.server().port();
  }

  HttpServer server() {
    return Objects.requireNonNull(server);
  }

  @AfterEach
  void stopServer() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    for (Loop loop : server().server().loops()) {
      assertThat(loop.counters().handlerFailures()).isZero();
      assertThat(loop.counters().taskFailures()).isZero();
    }
    server().close();
    assertThat(complaints).isEmpty();
  }

  HttpPeer peer() throws IOException {
    return peer(0);
  }

  HttpPeer peer(int receiveBytes) throws IOException {
    HttpPeer peer = connect(receiveBytes);
    opened.add(peer);
    return peer;
  }

  /// A connection that the caller closes.
  ///
  /// @param receiveBytes size of the client's receive buffer, 0 for what the system chooses
  HttpPeer connect(int receiveBytes) throws IOException {
    return new HttpPeer(port, receiveBytes);
  }

  HttpPeer connect() throws IOException {
    return connect(0);
  }

  /// Sends a byte at a time, until the test ends.
  void drip(HttpPeer peer, String text, int gapMillis) {
    Thread drip = Thread.ofVirtual().start(() -> dripAll(peer, text, gapMillis));
    opened.add(drip::interrupt);
  }

  private static void dripAll(HttpPeer peer, String text, int gapMillis) {
    try {
      for (byte each : text.getBytes(StandardCharsets.ISO_8859_1)) {
        peer.trySend(new byte[] {each});
        Thread.sleep(gapMillis);
      }
    } catch (InterruptedException e) {
      // the test is over
    }
  }

  /// Sends while the caller reads.
  Thread sendAside(HttpPeer peer, byte[] bytes) {
    return Thread.ofVirtual().start(() -> peer.trySend(bytes));
  }

  /// The size of a reply that the buffers of both ends do not hold: its sender waits for its
  /// reader.
  int beyondBuffers() {
    return 60 << 20;
  }

  /// As on SIGHUP.
  void reload() throws IOException {
    server().reload();
  }

  /// Begins a drain, which goes on while clients talk.
  ///
  /// @return waits for its end: whether everything finished in time
  BooleanSupplier drain(Duration await) {
    CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(() -> server().drain(await));
    // asks from here, because a loop that has drained already answers no more
    Await.until("the drain", loop()::draining);
    return drained::join;
  }

  /// The time that time-outs go by, from any beginning.
  long nanos() {
    return System.nanoTime();
  }

  void publishTo(CounterPublisher counters) {
    server().publishTo(counters);
  }

  /// One request on a connection of its own.
  HttpAnswer get(String target, String... fields) throws IOException {
    try (HttpPeer peer = connect()) {
      return peer.get(target, fields);
    }
  }

  HttpAnswer request(String method, String target, String... fields) throws IOException {
    try (HttpPeer peer = connect()) {
      return peer.request(method, target, fields);
    }
  }

  /// Gives all files an age: one in its first second has no Last-Modified yet.
  void age() throws IOException {
    FileTime before = FileTime.from(Instant.now().minusSeconds(10));
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, before);
      }
    }
  }

  Path write(String name, String content) throws IOException {
    return write(name, content.getBytes(StandardCharsets.ISO_8859_1));
  }

  Path write(String name, byte[] content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  /// Publishes a new version as programs should: written aside, then renamed.
  void replace(String name, byte[] content) throws IOException {
    Path aside = root.resolveSibling(root.getFileName() + "-aside");
    Files.write(aside, content);
    Files.move(aside, root.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  static byte[] pattern(int count, int seed) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) ((i * 31 + (i >>> 8) * 7 + seed) ^ (i >>> 16));
    }
    return bytes;
  }

  Loop loop() {
    return server().server().loops().getFirst();
  }

  long onLoop(ToLongFunction<Loop> question) {
    return onLoop(loop(), question);
  }

  private static long onLoop(Loop loop, ToLongFunction<Loop> question) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    loop.execute(() -> answer.complete(question.applyAsLong(loop)));
    try {
      return answer.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /// Waits until a number about the loop is what it should be.
  void await(ToLongFunction<Loop> question, long value) {
    Await.untilAsserted(() -> assertThat(onLoop(question)).isEqualTo(value));
  }

  /// Sockets, rings and files of the site: not the jars that the JVM opens when it needs them.
  long openDescriptors() throws IOException {
    try (var list = Files.list(Path.of("/proc/self/fd"))) {
      return list.map(HttpContractRig::target)
          .filter(at -> at.startsWith(root.toString()) || !(at.isEmpty() || at.startsWith("/")))
          .count();
    }
  }

  /// What a descriptor is of; empty when it was closed meanwhile.
  static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "";
    }
  }
}
