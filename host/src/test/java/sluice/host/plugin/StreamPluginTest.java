package sluice.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.domain.Domain;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.http.plugin.StreamPlugin;
import sluice.http.plugin.StreamReply;
import sluice.testbase.Await;

/// Tests plug-ins with streamed bodies: both directions at once and bodies of any length, with
/// clients that are slow, stop or disconnect in the middle, and with plug-ins that keep borrowed
/// streams.
@Timeout(240)
final class StreamPluginTest extends PluginServerRig {
  private static final String TEXT = "Content-Type";
  private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void endClients() {
    clients.shutdownNow();
  }

  // ---- plug-ins -----------------------------------------------------------------------------

  /// A plug-in that does what the query string says.
  public static class Streams implements StreamPlugin {
    private volatile InputStream keptBody = InputStream.nullInputStream();
    private volatile OutputStream keptOut = OutputStream.nullOutputStream();
    private volatile boolean goesOn = true;

    @Override
    public void handle(PluginRequest request, InputStream body, StreamReply reply)
        throws Exception {
      String query = request.query() == null ? "" : request.query();
      switch (query.replaceAll("[^a-z]", "")) {
        case "echo" -> echo(body, reply);
        case "count" -> reply.send(PluginReply.text(body.readAllBytes().length + " bytes"));
        case "large" -> large(Long.parseLong(query.replaceAll("[^0-9]", "")), reply);
        case "early" -> reply.send(PluginReply.text("early"));
        case "none" -> {}
        case "throw" -> throw new IllegalStateException("out of luck");
        case "cut" -> {
          OutputStream out = reply.begin(200, Map.of(), 1000);
          out.write(new byte[10]);
          out.flush();
          throw new IllegalStateException("in the middle");
        }
        case "short" -> reply.begin(200, Map.of(), 1000).write(new byte[10]);
        case "twice" -> twice(reply);
        case "empty" -> reply.begin(204, Map.of("X-A", List.of("b")), 0);
        case "keep" -> {
          keptBody = body;
          keptOut = reply.begin(200, Map.of());
        }
        case "kept" -> reply.send(PluginReply.text(kept()));
        case "threads" -> threads(reply);
        case "loop" -> {
          OutputStream out = reply.begin(200, Map.of());
          out.write("some".getBytes(StandardCharsets.US_ASCII));
          out.flush();
          while (goesOn) {
            Thread.onSpinWait();
          }
        }
        default -> reply.send(PluginReply.text("streams"));
      }
    }

    private static void echo(InputStream body, StreamReply reply) throws IOException {
      try (OutputStream out = reply.begin(200, Map.of(TEXT, List.of("text/x-echo")))) {
        byte[] bytes = new byte[10_000];
        for (int n = body.read(bytes); n >= 0; n = body.read(bytes)) {
          out.write(bytes, 0, n);
          if (body.available() == 0) {
            out.flush();
          }
        }
      }
    }

    private static void large(long length, StreamReply reply) throws IOException {
      OutputStream out = reply.begin(200, Map.of(), length);
      byte[] some = new byte[8192];
      for (long left = length; left > 0; left -= some.length) {
        out.write(some, 0, (int) Math.min(left, some.length));
      }
    }

    private static void twice(StreamReply reply) throws IOException {
      StringBuilder told = new StringBuilder();
      List<Attempt> refused =
          List.of(
              () -> reply.begin(199, Map.of()),
              () -> reply.begin(204, Map.of()),
              () -> reply.begin(200, Map.of(), -1),
              () -> reply.begin(200, Map.of("X-A", List.of("b\r\nc"))));
      for (Attempt each : refused) {
        told.append(thrown(each)).append('\n');
      }
      OutputStream out = reply.begin(200, Map.of());
      told.append(thrown(() -> reply.begin(200, Map.of())));
      out.write(told.toString().getBytes(StandardCharsets.UTF_8));
    }

    private String kept() {
      return thrown(() -> keptBody.read())
          + "\n"
          + keptOutThrown()
          + "\n"
          + thrown(() -> keptOut.flush());
    }

    private String keptOutThrown() {
      return thrown(() -> keptOut.write(1));
    }

    /// Writes one reply from eight threads.
    private static void threads(StreamReply reply) throws Exception {
      OutputStream out = reply.begin(200, Map.of(), 8 * 100_000L);
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Thread writer =
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    for (int j = 0; j < 100; j++) {
                      out.write(new byte[1000]);
                    }
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                });
        writers.add(writer);
      }
      for (Thread each : writers) {
        each.join();
      }
    }

    private static String thrown(Attempt attempt) {
      try {
        attempt.run();
        return "nothing";
      } catch (Exception e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
      }
    }
  }

  /// An action that may throw.
  public interface Attempt {
    /// Runs the action.
    void run() throws Exception;
  }

  /// A plug-in that receives and returns whole bodies.
  public static final class Whole implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      return PluginReply.text(request.body().length + " bytes");
    }
  }

  private void startStreams(String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of("plugin", "/api=" + streams()));
    all.addAll(List.of(settings));
    start(all.toArray(new String[0]));
  }

  private Path streams() throws IOException {
    return jar("api", StreamPlugin.class, Streams.class, Attempt.class);
  }

  // ---- clients ------------------------------------------------------------------------------

  private Socket connected() throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port());
    client.setSoTimeout((int) Await.SECONDS * 1000);
    return client;
  }

  private static void write(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String head(Socket client) throws IOException {
    StringBuilder head = new StringBuilder();
    InputStream in = client.getInputStream();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("after " + head);
      }
      head.append((char) next);
    }
    return head.toString();
  }

  private static String chunk(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    StringBuilder size = new StringBuilder();
    while (size.indexOf("\r\n") < 0) {
      size.append((char) in.read());
    }
    int length = Integer.parseInt(size.toString().strip(), 16);
    String data = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    assertThat(in.readNBytes(2)).containsExactly('\r', '\n');
    return data;
  }

  private static String rest(Socket client) throws IOException {
    return new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /// Reads to the end of the connection, which may be a reset, and returns the number of bytes.
  private static int bytesUntilCut(Socket client) throws IOException {
    int count = 0;
    try {
      while (client.getInputStream().read() >= 0) {
        count++;
      }
    } catch (SocketException e) {
      // A reset also ends the connection.
    }
    return count;
  }

  // ---- both ways ----------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "epoll, 50000000, false",
    "epoll, 20000000, true",
    "io_uring, 50000000, false",
    "io_uring, 20000000, true",
    "jdk, 20000000, true",
    "epoll, 1, false",
    "io_uring, 65536, false",
    "jdk, 65537, false"
  })
  void whatIsSentComesBack(String backend, int length, boolean chunked) throws Exception {
    startStreams("backend", backend);
    byte[] sent = new byte[length];
    new Random(length).nextBytes(sent);
    CRC32 sum = new CRC32();
    sum.update(sent);
    try (Socket client = connected()) {
      write(
          client,
          "POST /api?echo HTTP/1.1\r\nHost: a\r\n"
              + (chunked
                  ? "Transfer-Encoding: chunked\r\n\r\n"
                  : "Content-Length: " + length + "\r\n\r\n"));
      Future<?> sending =
          clients.submit(() -> {
            send(client, sent, chunked);
            return null;
          });
      assertThat(head(client)).startsWith("HTTP/1.1 200").contains("Transfer-Encoding: chunked");
      CRC32 got = new CRC32();
      for (String data = chunk(client); !data.isEmpty(); data = chunk(client)) {
        got.update(data.getBytes(StandardCharsets.ISO_8859_1));
      }
      sending.get(Await.SECONDS, TimeUnit.SECONDS);
      assertThat(got.getValue()).isEqualTo(sum.getValue());
      write(client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(rest(client)).startsWith("HTTP/1.1 200").endsWith("home");
    }
  }

  private static void send(Socket client, byte[] bytes, boolean chunked) throws IOException {
    OutputStream out = client.getOutputStream();
    if (!chunked) {
      out.write(bytes);
      return;
    }
    Random sizes = new Random(1);
    for (int at = 0; at < bytes.length; ) {
      int n = Math.min(bytes.length - at, 1 + sizes.nextInt(100_000));
      write(client, Integer.toHexString(n) + "\r\n");
      out.write(bytes, at, n);
      write(client, "\r\n");
      at += n;
    }
    write(client, "0\r\n\r\n");
  }

  @ParameterizedTest
  @CsvSource({"epoll", "io_uring", "jdk"})
  void eachPartIsAnsweredBeforeTheNextIsSent(String backend) throws Exception {
    startStreams("backend", backend);
    try (Socket client = connected()) {
      write(client, "POST /api?echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 200; i++) {
        write(client, "3\r\n" + (100 + i) + "\r\n");
        if (i == 0) {
          assertThat(head(client)).startsWith("HTTP/1.1 200");
        }
        assertThat(chunk(client)).isEqualTo("" + (100 + i));
      }
      write(client, "0\r\n\r\n");
      assertThat(chunk(client)).isEmpty();
    }
  }

  @Test
  void wholeRepliesAndBodiesGoThroughToo() throws Exception {
    startStreams();
    assertThat(get("/api")).isEqualTo("200 streams");
    assertThat(get("/api?count")).isEqualTo("200 0 bytes");
    assertThat(ask("POST /api?count HTTP/1.1\r\nContent-Length: 3\r\n", "abc"))
        .endsWith("\r\n\r\n3 bytes");
    assertThat(ask("POST /api?count HTTP/1.1\r\nContent-Length: 3000000\r\n", "a".repeat(3000000)))
        .endsWith("\r\n\r\n3000000 bytes");
    assertThat(get("/api?large100000000")).hasSize(100_000_004);
    assertThat(ask("HEAD /api?large100000 HTTP/1.1\r\n", ""))
        .contains("Content-Length: 100000\r\n")
        .endsWith("\r\n\r\n");
    assertThat(ask("GET /api?empty HTTP/1.1\r\n", ""))
        .startsWith("HTTP/1.1 204")
        .contains("X-A: b")
        .endsWith("\r\n\r\n");
    assertThat(get("/api?threads")).hasSize(800_004);
    assertThat(ask("GET /api?large1000 HTTP/1.0\r\n", "")).hasSizeGreaterThan(1000);
  }

  @Test
  void aReplyMayComeBeforeTheBody() throws Exception {
    startStreams();
    try (Socket client = connected()) {
      write(client, "POST /api?early HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n");
      assertThat(head(client)).contains("Content-Length: 5");
      assertThat(client.getInputStream().readNBytes(5)).asString().isEqualTo("early");
      write(client, "a".repeat(500_000));
      write(client, "GET /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(rest(client)).startsWith("HTTP/1.1 200").endsWith("streams");
    }
    try (Socket client = connected()) { // more than the server would skip
      write(client, "POST /api?early HTTP/1.1\r\nHost: a\r\nContent-Length: 500000000\r\n\r\n");
      assertThat(rest(client)).endsWith("early");
    }
  }

  @Test
  void theNextRequestWaitsForTheReply() throws Exception {
    startStreams();
    try (Socket client = connected()) {
      write(
          client,
          "POST /api?count HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n"
              + "b".repeat(20_000)
              + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(rest(client)).containsSubsequence("20000 bytes", "HTTP/1.1 200", "home");
    }
  }

  @Test
  void aClientThatAsksBeforeItSendsIsToldToGoOn() throws Exception {
    startStreams();
    try (Socket client = connected()) {
      String fields = "Content-Length: 20000\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n";
      write(client, "POST /api?count HTTP/1.1\r\nHost: a\r\n" + fields);
      assertThat(head(client)).startsWith("HTTP/1.1 100");
      write(client, "c".repeat(20_000));
      assertThat(rest(client)).endsWith("20000 bytes");
    }
  }

  // ---- what goes wrong ----------------------------------------------------------------------

  @Test
  void bodiesThatAreNotWholeAreTold() throws Exception {
    startStreams("header-timeout", "1");
    try (Socket client = connected()) {
      write(client, "POST /api?count HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\nabc");
      client.shutdownOutput();
      assertThat(rest(client)).startsWith("HTTP/1.1 400").endsWith("the body did not come whole\n");
    }
    try (Socket client = connected()) {
      write(
          client,
          "POST /api?count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
      Thread.sleep(100);
      write(client, "nonsense\r\n");
      assertThat(rest(client)).startsWith("HTTP/1.1 400");
    }
    try (Socket client = connected()) {
      write(client, "POST /api?count HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\nabc");
      assertThat(rest(client)).startsWith("HTTP/1.1 408");
    }
    assertThat(messages.toString()).doesNotContain("answers 500");
    try (Socket client = connected()) { // the reply had already begun
      write(client, "POST /api?echo HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\nabc");
      assertThat(head(client)).startsWith("HTTP/1.1 200");
      assertThat(bytesUntilCut(client)).isEqualTo("3\r\nabc\r\n".length());
    }
    assertThat(get("/api")).isEqualTo("200 streams");
  }

  @Test
  void whatThePluginDoesWrongIsTold() throws Exception {
    startStreams();
    assertThat(get("/api?none")).startsWith("500");
    awaitMessage("answers 500 to GET /api?none: it returned without a reply");
    assertThat(get("/api?throw")).startsWith("500");
    for (String how : List.of("cut", "short")) {
      try (Socket client = connected()) {
        write(client, "GET /api?" + how + " HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(bytesUntilCut(client)).isLessThan(1000);
      }
    }
    awaitMessage("has not completed its reply to GET /api?cut: java.lang.IllegalState");
    assertThat(get("/api?twice"))
        .contains("IllegalArgumentException: not the status of a reply: 199")
        .contains("IllegalArgumentException: a reply with status 204 has no body")
        .contains("IllegalArgumentException: the length of a body is not negative: -1")
        .contains("IllegalStateException: the reply was begun before");
  }

  @Test
  void whatIsKeptIsOfNoUseLater() throws Exception {
    startStreams();
    try (Socket client = connected()) {
      write(client, "POST /api?keep HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n");
      assertThat(head(client)).startsWith("HTTP/1.1 200");
      assertThat(get("/api?kept"))
          .isEqualTo(
              "200 IOException: the request has been answered\n"
                  + "IOException: the reply is complete already\nnothing");
    }
  }

  @Test
  void clientsThatGoLeaveNothing() throws Exception {
    startStreams("plugin-calls", "2", "plugin-waiting", "0", "plugin-timeout", "100");
    for (int i = 0; i < 20; i++) {
      try (Socket client = connected()) {
        write(client, "POST /api?echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nabc");
        assertThat(head(client)).startsWith("HTTP/1.1 200");
        client.setSoLinger(i % 2 == 0, 0);
      }
      try (Socket client = connected()) {
        write(client, "GET /api?large100000000 HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(head(client)).startsWith("HTTP/1.1 200");
        client.setSoLinger(i % 2 == 0, 0);
      }
      Await.until("both places", () -> get("/api").equals("200 streams"));
    }
  }

  // ---- time ---------------------------------------------------------------------------------

  @Test
  void clientsMayBeSlowerThanTheLimit() throws Exception {
    startStreams("plugin-timeout", "1");
    try (Socket sends = connected();
        Socket reads = connected()) {
      write(reads, "GET /api?large80000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      write(sends, "POST /api?count HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n");
      Thread.sleep(3500);
      write(sends, "d".repeat(90_000));
      assertThat(head(sends)).startsWith("HTTP/1.1 200");
      assertThat(head(reads)).startsWith("HTTP/1.1 200");
      assertThat(rest(reads)).hasSize(80_000_000);
    }
    assertThat(messages.toString()).doesNotContain("cuts off", "503");
  }

  @Test
  void aPluginThatHangsInItsReplyIsLoadedAgain() throws Exception {
    startStreams("plugin-timeout", "1");
    Domain first = domain("api");
    try (Socket client = connected()) {
      write(client, "GET /api?loop HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(head(client)).startsWith("HTTP/1.1 200");
      assertThat(bytesUntilCut(client)).isEqualTo("4\r\nsome\r\n".length());
    }
    awaitMessage("cuts off its reply to GET /api?loop: nothing was read or written within 1 s");
    Await.until("the end", () -> !first.alive());
    Await.until("a restart", () -> get("/api").equals("200 streams"));
  }

  @Test
  void callsUnderWayEndWithTheirDomain() throws Exception {
    startStreams("plugin-timeout", "100");
    try (Socket begun = connected();
        Socket reads = connected()) {
      write(begun, "POST /api?echo HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\nabc");
      assertThat(head(begun)).startsWith("HTTP/1.1 200");
      write(reads, "POST /api?count HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\nabc");
      Await.until("both", () -> domain("api").stat().threads() >= 2);
      Domain before = domain("api");
      before.kill();
      assertThat(bytesUntilCut(begun)).isEqualTo("3\r\nabc\r\n".length());
      assertThat(head(reads)).startsWith("HTTP/1.1 503");
      assertThat(before.awaitEnd(Duration.ofSeconds(Await.SECONDS))).isTrue();
    }
    assertThat(server().reload(messages::add)).isTrue();
    assertThat(get("/api")).isEqualTo("200 streams");
  }

  @Test
  void bothKindsTakeTurnsUnderLoad() throws Exception {
    startStreams("plugin-timeout", "60");
    AtomicBoolean isOver = new AtomicBoolean();
    List<Future<Integer>> loads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int length = 100 + 30_000 * i;
      loads.add(
          clients.submit(() -> {
            int count = 0;
            for (; !isOver.get(); count++) {
              String reply =
                  ask(
                      "POST /api?count HTTP/1.1\r\nContent-Length: " + length + "\r\n",
                      "e".repeat(length));
              assertThat(reply).startsWith("HTTP/1.1 200").endsWith("\r\n" + length + " bytes");
            }
            return count;
          }));
    }
    for (int i = 0; i < 6; i++) {
      Path _ = i % 2 == 0 ? jar("api", HttpPlugin.class, Whole.class) : streams();
      assertThat(server().reload(messages::add)).isTrue();
      Thread.sleep(100);
    }
    isOver.set(true);
    for (Future<Integer> each : loads) {
      assertThat(each.get(Await.SECONDS, TimeUnit.SECONDS)).isPositive();
    }
  }
}
