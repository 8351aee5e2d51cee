package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.clients.ClientLimits;
import sluice.http.parse.Bytes;
import sluice.http.rules.AccessRule;
import sluice.http.rules.AddressRange;
import sluice.http.rules.PathPattern;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;
import sluice.testbase.Await;

/// Limits per address, and addresses that proxies tell, as clients see them.
@Timeout(240)
class ClientsTest extends HttpContractRig {
  private static final List<AddressRange> LOOPBACK = List.of(AddressRange.of("127.0.0.0/8"));

  private CounterPublisher counters = new CounterPublisher(Counters.inMemory());

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  private long counted(String name) {
    return counters.snapshot().values().stream()
        .filter(each -> each.label().endsWith(name))
        .mapToLong(CounterValue::value)
        .sum();
  }

  private void limited(ClientLimits limits, List<AddressRange> proxies) throws IOException {
    start(config -> config.withClientLimits(limits).withProxies(proxies));
    counters = new CounterPublisher(Counters.inMemory());
    server().publishTo(counters);
  }

  private static String one(String address) {
    return "PROXY TCP4 " + address + " 127.0.0.1 1234 80\r\n";
  }

  @Test
  void connectionsOfAnAddress() throws Exception {
    limited(new ClientLimits(2, 0, 0), List.of());
    HttpPeer first = peer();
    HttpPeer second = peer();
    assertThat(first.get("/a.txt").status()).isEqualTo(200);
    assertThat(second.get("/a.txt").status()).isEqualTo(200);
    try (HttpPeer third = connect()) {
      HttpAnswer refused = third.read();
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.the("Retry-After")).isEqualTo("1");
      assertThat(refused.closes()).isTrue();
      assertThat(third.gone()).isTrue();
    }
    assertThat(first.get("/a.txt").status()).as("others go on").isEqualTo(200);
    first.close();
    Await.until("a place", () -> statusOfAnother() == 200);
    assertThat(counted("/connections_over_limit")).isPositive();
  }

  private int statusOfAnother() {
    try (HttpPeer peer = connect()) {
      peer.trySend(Bytes.latin1(HttpPeer.text("GET", "/a.txt")));
      return peer.read().status();
    } catch (IOException e) {
      return 0; // dropped
    }
  }

  @Test
  void requestsOfAnAddressOverAllItsConnections() throws Exception {
    limited(new ClientLimits(0, 1, 50), List.of());
    int asked = 0;
    int answered = 0;
    for (int round = 0; round < 4; round++) {
      try (HttpPeer peer = connect()) {
        peer.send(
            HttpPeer.text("GET", "/a.txt").repeat(40)
                + HttpPeer.text("POST", "/a.txt", "Content-Length: 3")
                + "abc"
                + HttpPeer.text("GET", "/b.txt"));
        for (int i = 0; i < 42; i++) {
          HttpAnswer answer = peer.read();
          asked++;
          if (answer.status() == 429) {
            assertThat(answer.the("Retry-After")).matches("[1-9][0-9]*");
            assertThat(answer.closes()).isFalse();
          } else {
            assertThat(answer.status()).isEqualTo(i == 40 ? 405 : 200);
            answered++;
          }
        }
      }
    }
    assertThat(answered).isGreaterThanOrEqualTo(50).isLessThan(asked);
    assertThat(counted("/requests_over_limit")).isEqualTo(asked - answered);
  }

  @Test
  void theAddressThatAProxyTellsCountsForRulesLimitsAndLog() throws Exception {
    AccessRule rule =
        new AccessRule(
            PathPattern.of("/a.txt"), List.of(AddressRange.of("192.0.2.0/24")), List.of(), null);
    Path log = outside.resolve("log");
    start(
        Site.of(root),
        config ->
            config
                .withRules(SiteRules.NONE.withAccess(List.of(rule)))
                .withAccessLog(log)
                .withClientLimits(new ClientLimits(1, 0, 0))
                .withProxies(LOOPBACK));
    HttpPeer inside = peer().send(one("192.0.2.9"));
    assertThat(inside.get("/a.txt").status()).isEqualTo(200);
    assertThat(inside.get("/a.txt").status()).isEqualTo(200);
    HttpPeer other = peer().send(one("198.51.100.1"));
    assertThat(other.get("/a.txt").status()).isEqualTo(403);
    assertThat(other.get("/b.txt").status()).isEqualTo(200);
    try (HttpPeer again = connect().send(one("192.0.2.9"))) {
      assertThat(again.read().status()).isEqualTo(429);
    }
    try (HttpPeer local = connect().send("PROXY UNKNOWN\r\n")) {
      assertThat(local.get("/a.txt").status()).as("by its own address").isEqualTo(403);
    }
    Await.until("the log", () -> lines(log).size() >= 5);
    assertThat(lines(log)).anyMatch(line -> line.startsWith("192.0.2.9 "));
    assertThat(lines(log)).anyMatch(line -> line.startsWith("198.51.100.1 "));
    assertThat(lines(log)).anyMatch(line -> line.startsWith("127.0.0.1 "));
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void versionTwoWithARequestBehindInPiecesOfEverySize() throws Exception {
    limited(ClientLimits.NONE, LOOPBACK);
    byte[] header = {
      13,
      10,
      13,
      10,
      0,
      13,
      10,
      'Q',
      'U',
      'I',
      'T',
      10,
      0x21,
      0x11,
      0,
      15,
      (byte) 192,
      0,
      2,
      7,
      127,
      0,
      0,
      1,
      4,
      0,
      0,
      80,
      4,
      0,
      0
    };
    String whole = Bytes.text(header) + HttpPeer.text("GET", "/b.txt");
    Random random = new Random(1);
    for (int round = 0; round < 40; round++) {
      try (HttpPeer peer = connect()) {
        int cut = round == 0 ? whole.length() : 1 + random.nextInt(whole.length());
        peer.send(whole.substring(0, cut));
        Thread.onSpinWait();
        peer.send(whole.substring(cut));
        assertThat(peer.read().text()).isEqualTo("bravo, the second file");
        assertThat(peer.get("/a.txt").text()).isEqualTo("alpha");
      }
    }
    assertThat(counted("/proxy_headers")).isEqualTo(40);
  }

  @Test
  void whatIsNoHeaderEndsTheConnectionWithoutAWord() throws Exception {
    limited(ClientLimits.NONE, LOOPBACK);
    for (String bytes :
        List.of(
            "GET / HTTP/1.1\r\nHost: t\r\n\r\n", "PROXY TCP4 x y 1 2\r\n", "P\n", "\r\n\r\nX")) {
      try (HttpPeer peer = connect()) {
        peer.trySend(Bytes.latin1(bytes));
        assertThat(peer.gone()).as(bytes).isTrue();
      }
    }
    assertThat(counted("/proxy_failures")).isEqualTo(4);
    try (HttpPeer half = connect().send("PROXY TCP4 192.0.2.9").finish()) {
      assertThat(half.gone()).isTrue();
    }
  }

  @Test
  void aHeaderThatDoesNotComeHasTheTimeOfAHead() throws Exception {
    start(config ->
        config.withProxies(LOOPBACK).withTimeouts(Duration.ofMillis(300), Duration.ofMinutes(10)));
    try (HttpPeer silent = connect();
        HttpPeer slow = connect()) {
      drip(slow, "PROXY UNKNOWN " + "x".repeat(80), 50);
      assertThat(silent.gone()).isTrue();
      assertThat(slow.gone()).isTrue();
    }
  }

  @Test
  void anAddressThatIsNotTrustedHasNoHeader() throws Exception {
    limited(ClientLimits.NONE, List.of(AddressRange.of("192.0.2.0/24")));
    try (HttpPeer peer = connect()) {
      assertThat(peer.get("/a.txt").status()).isEqualTo(200);
      peer.send(one("192.0.2.9"));
      assertThat(peer.read().status()).isEqualTo(400);
    }
    assertThat(counted("/proxy_headers")).isZero();
  }

  @Test
  void aHeaderComesBeforeTls() throws Exception {
    TestKeys keys = TestKeys.make(outside);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    ServerConfig plain = ServerConfig.onLoopback("tls", 0).withBackend(backend());
    AccessRule rule =
        new AccessRule(
            PathPattern.of("/a.txt"), List.of(AddressRange.of("192.0.2.9")), List.of(), null);
    HttpConfig config =
        HttpConfig.of(plain.withTls(tls), Site.of(root))
            .withRules(SiteRules.NONE.withAccess(List.of(rule)))
            .withProxies(LOOPBACK)
            .withClientLimits(new ClientLimits(1, 0, 0));
    try (HttpServer server = HttpServer.start(config, complaints::add)) {
      InetSocketAddress to =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server().port());
      try (HttpPeer peer = secure(keys, to, one("192.0.2.9"))) {
        assertThat(peer.get("/a.txt").text()).isEqualTo("alpha");
        try (HttpPeer again = connected(to)) {
          again.trySend(Bytes.latin1(one("192.0.2.9")));
          assertThat(again.gone()).as("one too many").isTrue();
        }
      }
      try (HttpPeer peer = secure(keys, to, one("192.0.2.10"))) {
        assertThat(peer.get("/a.txt").status()).isEqualTo(403);
      }
    }
  }

  private static HttpPeer connected(InetSocketAddress to) throws IOException {
    Socket socket = new Socket(to.getAddress(), to.getPort());
    socket.setSoTimeout(60_000);
    return new HttpPeer(socket);
  }

  private static HttpPeer secure(TestKeys keys, InetSocketAddress to, String header)
      throws Exception {
    Socket socket = new Socket(to.getAddress(), to.getPort());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(Bytes.latin1(header));
    return new HttpPeer(keys.secure(socket));
  }
}
