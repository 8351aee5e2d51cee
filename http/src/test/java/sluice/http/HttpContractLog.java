package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.Route;
import sluice.loop.LoopConfig;
import sluice.loop.tls.TlsContext;
import sluice.testbase.Await;

/// The access log says what was really sent.
abstract class HttpContractLog extends HttpContractDrainSockets {
  private static final Pattern LINE =
      Pattern.compile("127\\.0\\.0\\.1 - - \\[[^]]+] \"(.*)\" (\\d+) (\\d+) \"(.*)\" \"(.*)\"");
  private static final int STREAMED = 40 << 20;

  private final CountDownLatch goOn = new CountDownLatch(1);

  private Path logFile() {
    return outside.resolve("access.log");
  }

  private void startLogging(UnaryOperator<HttpConfig> change) throws IOException {
    Route stream = Route.at("/stream").withSlowHandler(HttpContractLog::stream);
    Route breaks = Route.at("/breaks").withSlowHandler(this::breakOff);
    start(config ->
        change.apply(config).withAccessLog(logFile()).withRoutes(List.of(stream, breaks)));
  }

  private static void stream(HttpMessage request, HttpResponder responder) throws IOException {
    boolean known = "known".equals(request.query());
    try (OutputStream out = known ? responder.stream(STREAMED) : responder.stream()) {
      byte[] piece = new byte[16 << 10];
      for (int i = 0; i < STREAMED / piece.length; i++) {
        out.write(piece);
      }
    }
  }

  private void breakOff(HttpMessage request, HttpResponder responder) throws Exception {
    OutputStream out = responder.stream();
    out.write(new byte[5_000]);
    out.flush();
    goOn.await();
    throw new IOException("on purpose");
  }

  /// The line of a request, once it is there.
  private Matcher line(String request) throws Exception {
    Await await = new Await();
    while (true) {
      String text = Files.readString(logFile(), StandardCharsets.US_ASCII);
      // whole ones: the last may be being written
      List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
      for (String each : lines) {
        Matcher parts = LINE.matcher(each);
        assertThat(parts.matches()).as(each).isTrue();
        if (parts.group(1).startsWith(request)) {
          return parts;
        }
      }
      await.pause("'" + request + "' in " + lines);
    }
  }

  private void assertLogged(String request, int status, long bytes) throws Exception {
    assertLogged(request, status, bytes, bytes);
  }

  private void assertLogged(String request, int status, long least, long most) throws Exception {
    Matcher line = line(request);
    assertThat(line.group(2)).isEqualTo(Integer.toString(status));
    assertThat(Long.parseLong(line.group(3))).as(request).isBetween(least, most);
  }

  @Test
  void wholeRepliesAreLoggedInFull() throws Exception {
    startLogging(config -> config);
    for (int size : new int[] {100, 9_000, 300_000, 3_000_000}) {
      byte[] content = pattern(size, 3);
      write(size + ".bin", content);
      HttpPeer peer = peer();
      peer.get("/" + size + ".bin?1", "User-Agent: u" + size, "Referer: r");
      peer.request("HEAD", "/" + size + ".bin?2");
      peer.get("/" + size + ".bin?3", "Range: bytes=1-");
      HttpAnswer parts = peer.get("/" + size + ".bin?4", "Range: bytes=0-9,50-");
      // the small one behind is kept back until the large one has gone
      peer.send(
          HttpPeer.text("GET", "/" + size + ".bin?5") + HttpPeer.text("GET", "/a.txt?" + size));
      assertThat(peer.read().body()).hasSize(size);
      assertThat(peer.read().text()).isEqualTo("alpha");
      assertLogged("GET /" + size + ".bin?1 HTTP/1.1", 200, size);
      assertThat(line("GET /" + size + ".bin?1").group(5)).isEqualTo("u" + size);
      assertLogged("HEAD /" + size + ".bin?2", 200, 0);
      assertLogged("GET /" + size + ".bin?3", 206, size - 1);
      assertLogged("GET /" + size + ".bin?4", 206, parts.body().length);
      assertLogged("GET /" + size + ".bin?5", 200, size);
      assertLogged("GET /a.txt?" + size, 200, "alpha".length());
    }
    HttpPeer peer = peer();
    peer.send(HttpPeer.text("GET", "/stream?known"));
    peer.readBytes(peer.readHead().contentLength());
    assertLogged("GET /stream?known", 200, STREAMED);
    peer.send(HttpPeer.text("GET", "/stream?chunks", "Connection: close"));
    peer.readHead();
    assertThat(peer.readAll().length).isGreaterThan(STREAMED);
    assertLogged("GET /stream?chunks", 200, STREAMED);
    assertThat(Files.readAllLines(logFile())).hasSize(4 * 6 + 2);
  }

  /// A reply from memory, one sent from its file, and two that a handler makes.
  @ParameterizedTest
  @ValueSource(strings = {"/memory.bin", "/large.bin", "/stream?known", "/stream"})
  void aClientThatGoesAwayIsLoggedWithWhatItWasSent(String target) throws Exception {
    write("memory.bin", pattern(1 << 20, 1));
    write("large.bin", pattern(STREAMED, 2));
    startLogging(config -> config);
    int read = 200_000;
    HttpPeer peer = peer(16 << 10);
    peer.send(HttpPeer.text("GET", target));
    peer.readHead();
    peer.readBytes(read);
    peer.reset();
    assertLogged("GET " + target + " HTTP/1.1", 200, read / 2, STREAMED - 1);
    await(loop -> loop.connectionCount(), 0);
    long taken = onLoop(loop -> loop.counters().sentBytes() + loop.counters().fileBytes());
    long logged = Long.parseLong(line("GET " + target).group(3));
    assertThat(logged).as("and no more than was sent").isLessThan(taken);
    assertThat(get("/b.txt").status()).isEqualTo(200);
    assertLogged("GET /b.txt", 200, "bravo, the second file".length());
  }

  /// Plain bytes are counted, and those whose ciphertext the kernel has not taken are not.
  @ParameterizedTest
  @ValueSource(strings = {"/memory.bin", "/large.bin", "/stream?known"})
  void overTlsToo(String target) throws Exception {
    write("memory.bin", pattern(1 << 20, 1));
    write("large.bin", pattern(STREAMED, 2));
    TestKeys keys = TestKeys.make(outside);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    startLogging(config -> HttpConfig.of(config.server().withTls(tls), config.site()));
    long size = target.equals("/memory.bin") ? 1 << 20 : STREAMED;
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        SSLSocket socket = keys.secure(plain)) {
      plain.setSoTimeout(60_000);
      byte[] request = HttpPeer.text("GET", target).getBytes(StandardCharsets.US_ASCII);
      socket.getOutputStream().write(request);
      assertThat(socket.getInputStream().readNBytes((int) size)).hasSize((int) size);
      assertThat(socket.getInputStream().read()).as("the rest of it").isNotNegative();
      assertLogged("GET " + target + " HTTP/1.1", 200, size);
    }
    String cut = "/large.bin?cut";
    Socket plain = new Socket();
    plain.setReceiveBufferSize(16 << 10);
    plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    try (plain;
        SSLSocket socket = keys.secure(plain)) {
      plain.setSoTimeout(60_000);
      byte[] request = HttpPeer.text("GET", cut).getBytes(StandardCharsets.US_ASCII);
      socket.getOutputStream().write(request);
      assertThat(socket.getInputStream().readNBytes(200_000)).hasSize(200_000);
      plain.setSoLinger(true, 0);
      plain.close(); // a reset
    }
    assertLogged("GET " + cut, 200, 100_000, STREAMED - 1);
  }

  @Test
  void aClientThatDoesNotReadIsLoggedWhenItsTimeIsOver() throws Exception {
    write("large.bin", new byte[STREAMED]);
    LoopConfig impatient =
        new LoopConfig(100, 64 << 10, 64 << 20, 4 << 20, 300_000_000L, 2_000_000_000L);
    startLogging(config -> HttpConfig.of(config.server().withLoop(impatient), config.site()));
    HttpPeer file = peer(8_192);
    file.send(HttpPeer.text("GET", "/large.bin"));
    HttpPeer stream = peer(8_192);
    stream.send(HttpPeer.text("GET", "/stream?known"));
    assertLogged("GET /large.bin", 200, 1, STREAMED - 1);
    assertLogged("GET /stream?known", 200, 1, STREAMED - 1);
    await(loop -> loop.connectionCount(), 0);
    assertThat(onLoop(loop -> loop.counters().writeTimeouts())).isEqualTo(2);
    assertThat(onLoop(loop -> loop.counters().cutReplies())).isEqualTo(2);
  }

  @Test
  void aClientThatADrainCutsOffIsLogged() throws Exception {
    write("large.bin", new byte[STREAMED]);
    startLogging(config -> config);
    HttpPeer file = peer(8_192);
    file.send(HttpPeer.text("GET", "/large.bin"));
    file.readHead();
    file.readBytes(1);
    HttpPeer stream = peer(8_192);
    stream.send(HttpPeer.text("GET", "/stream"));
    stream.readHead();
    stream.readBytes(100);
    assertThat(server().drain(Duration.ofMillis(300))).isFalse();
    assertLogged("GET /large.bin", 200, 1, STREAMED - 1);
    assertLogged("GET /stream", 200, 1, STREAMED - 1);
    start(config -> config);
  }

  @Test
  void aReplyThatItsHandlerBreaksOffIsLogged() throws Exception {
    startLogging(config -> config);
    HttpPeer peer = peer();
    peer.send(HttpPeer.text("GET", "/breaks"));
    peer.readHead();
    peer.readBytes(5_000);
    goOn.countDown();
    String rest = new String(peer.readAll(), StandardCharsets.ISO_8859_1);
    assertThat(rest).doesNotEndWith("0\r\n\r\n");
    assertLogged("GET /breaks HTTP/1.1", 200, 5_000);
  }

  @Test
  void refusedRequestsAreLogged() throws Exception {
    startLogging(config -> config.withTimeouts(Duration.ofMillis(1_500), Duration.ofSeconds(60)));
    for (String bad :
        List.of("GET  /x HTTP/1.1", "\u0016\u0003\u0001\"\u00ff", "GET /y HTTP/3.0")) {
      HttpPeer peer = peer();
      peer.send(bad + "\r\nHost: h\r\n\r\n");
      assertThat(peer.read().status()).isGreaterThanOrEqualTo(400);
    }
    long page = peer().send("BAD\r\n\r\n").read().contentLength();
    assertLogged("GET  /x HTTP/1.1", 400, page);
    assertThat(line("\\x16\\x03\\x01\\x22\\xFF").group(2)).isEqualTo("400");
    assertThat(line("GET /y HTTP/3.0").group(2)).isEqualTo("505");
    HttpPeer slow = peer();
    slow.send("GET /slow");
    assertThat(slow.read().status()).isEqualTo(408);
    assertThat(line("-").group(2)).isEqualTo("408");
  }
}
