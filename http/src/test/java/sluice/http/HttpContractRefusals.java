package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.http.parse.Bytes;
import sluice.http.parse.SmugglingTest;
import sluice.loop.LoopConfig;

/// What is not answered as asked, and that no other client is harmed by it.
abstract class HttpContractRefusals extends HttpContractSite {
  @Test
  void smuggledRequestsAreNeverInterpreted() throws IOException {
    List<String> messages = new ArrayList<>();
    for (String line : SmugglingTest.disguises()) {
      messages.add(Bytes.head("POST / HTTP/1.1", "Host: a", line, "Content-Length: 6"));
      messages.add(Bytes.head("POST / HTTP/1.1", "Host: a", "Content-Length: 6", line));
    }
    SmugglingTest.lengths().forEach(l -> messages.add(Bytes.head("GET / HTTP/1.1", "Host: a", l)));
    SmugglingTest.heads().forEach(messages::add);
    get("/b.txt");
    String smuggled = HttpPeer.text("GET", "/b.txt");
    for (String message : messages) {
      // U+0666 stands for its UTF-8 bytes
      String sent = message.replace("\u0666", "\u00d9\u00a6");
      try (HttpPeer peer = connect()) {
        peer.send(HttpPeer.text("GET", "/a.txt") + sent + smuggled + smuggled);
        assertThat(peer.read().text()).isEqualTo("alpha");
        HttpAnswer refusal = peer.read();
        assertThat(refusal.status()).as(message).isIn(400, 501);
        assertThat(refusal.closes()).isTrue();
        assertThat(peer.ended()).as(message).isTrue();
      }
    }
  }

  @Test
  void longTargetsHeadsAndManyLines() throws IOException {
    refused(414, "GET /" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    refused(414, "GET /" + "x".repeat(100_000));
    refused(431, "GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(20_000) + "\r\n\r\n");
    refused(431, "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(101) + "\r\n");
    refused(431, "GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(200_000));
    refused(501, "X".repeat(40) + " / HTTP/1.1\r\nHost: a\r\n\r\n");
    refused(505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n");
    refused(400, "GET / HTTP/1.1\r\n\r\n");
    refused(
        400, "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003rest of a hello");
    HttpPeer most = peer();
    assertThat(most.get("/" + "x".repeat(8_000)).status()).isEqualTo(404);
    assertThat(most.get("/a.txt", "X: " + "y".repeat(15_000)).text()).isEqualTo("alpha");
  }

  private void refused(int status, String text) throws IOException {
    HttpPeer peer = peer();
    peer.trySend(text.getBytes(StandardCharsets.ISO_8859_1));
    HttpAnswer reply = peer.read();
    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.closes()).isTrue();
    assertThat(peer.gone()).isTrue();
  }

  /// A connection that has asked within the short time it is given, which a machine that stood
  /// still meanwhile may miss.
  private HttpPeer answered() throws IOException {
    for (int attempt = 0; attempt < 20; attempt++) {
      HttpPeer peer = peer();
      try {
        if (peer.get("/a.txt").status() == 200) {
          return peer;
        }
      } catch (IOException late) {
        // ended before it asked
      }
    }
    throw new AssertionError("too slow again and again");
  }

  @Test
  void aClientThatIsSlowWithAHeadIsToldSo() throws IOException {
    start(c -> c.withTimeouts(Duration.ofMillis(1_500), Duration.ofSeconds(30)));
    HttpPeer peer = answered();
    peer.send("GET /a.txt HTTP/1.1\r\nHo");
    HttpAnswer reply = peer.read();
    assertThat(reply.status()).isEqualTo(408);
    assertThat(reply.closes()).isTrue();
    assertThat(peer.ended()).isTrue();
    // a drop now and then does not help
    HttpPeer dripping = peer();
    String text = HttpPeer.text("GET", "/a.txt", "X: " + "y".repeat(5_000));
    drip(dripping, text, 10);
    assertThat(dripping.read().status()).isEqualTo(408);
  }

  @Test
  void aSlowBodyIsCutOffWithoutAnotherReply() throws IOException {
    start(c -> c.withTimeouts(Duration.ofMillis(1_500), Duration.ofSeconds(30)));
    HttpPeer peer = peer();
    peer.send(HttpPeer.text("POST", "/a.txt", "Content-Length: 100") + "some");
    assertThat(peer.read().status()).isEqualTo(405);
    assertThat(peer.ended()).isTrue();
  }

  @Test
  void idleConnectionsEndQuietly() throws IOException {
    start(c -> c.withTimeouts(Duration.ofSeconds(30), Duration.ofMillis(1_500)));
    HttpPeer unused = peer();
    HttpPeer used = answered();
    assertThat(unused.readAll()).isEmpty();
    assertThat(used.readAll()).isEmpty();
  }

  private void startWithRoomFor(int connections) throws IOException {
    LoopConfig limit = LoopConfig.DEFAULT.withMaxConnections(connections);
    start(c -> HttpConfig.of(c.server().withLoop(limit), c.site()));
  }

  @Test
  void oneConnectionTooManyIsTurnedAway() throws Exception {
    write("big.bin", pattern(20 << 20, 2));
    startWithRoomFor(4);
    List<HttpPeer> peers = new ArrayList<>();
    String half = "GET /a.txt HTT";
    for (int i = 0; i < 3; i++) {
      peers.add(peer().send(half)); // none of them is idle
    }
    HttpPeer reading = peer(8_192);
    String whole = HttpPeer.text("GET", "/big.bin");
    reading.send(whole);
    HttpAnswer head = reading.readHead();
    await(loop -> loop.counters().receivedBytes(), 3L * half.length() + whole.length());
    for (int i = 0; i < 10; i++) {
      try (HttpPeer extra = connect()) {
        extra.send(HttpPeer.text("GET", "/a.txt"));
        HttpAnswer reply = extra.read();
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.the("Retry-After")).isNotEmpty();
        assertThat(reply.closes()).isTrue();
        assertThat(extra.ended()).isTrue();
      }
    }
    assertThat(peers.getFirst().send("P/1.1\r\nHost: a\r\n\r\n").read().text()).isEqualTo("alpha");
    assertThat(get("/a.txt").text()).isEqualTo("alpha"); // in the place of that one
    assertThat(peers.getFirst().ended()).isTrue();
    assertThat(reading.readBytes(head.contentLength())).isEqualTo(pattern(20 << 20, 2));
  }

  @Test
  void theConnectionThatHasBeenIdleLongestMakesRoom() throws Exception {
    startWithRoomFor(4);
    List<HttpPeer> peers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      HttpPeer peer = peer();
      assertThat(peer.get("/a.txt").text()).isEqualTo("alpha");
      peers.add(peer);
    }
    assertThat(peers.getFirst().get("/b.txt").status()).isEqualTo(200);
    for (int i = 0; i < 2; i++) {
      HttpPeer fresh = peer();
      assertThat(fresh.get("/a.txt").text()).isEqualTo("alpha");
    }
    assertThat(peers.get(1).ended()).isTrue();
    assertThat(peers.get(2).ended()).isTrue();
    assertThat(peers.get(0).get("/a.txt").text()).isEqualTo("alpha");
    assertThat(peers.get(3).get("/a.txt").text()).isEqualTo("alpha");
    assertThat(loop().counters().idleEvictions()).isEqualTo(2);
  }

  /// Each of these connects and is silent; those that ask meanwhile are answered all the time.
  @Test
  void idleConnectionsOfAnAttackerStarveNoOther() throws Exception {
    startWithRoomFor(50);
    write("big.bin", pattern(8 << 20, 2));
    HttpPeer reading = peer(8_192);
    reading.send(HttpPeer.text("GET", "/big.bin"));
    HttpAnswer head = reading.readHead();
    HttpPeer steady = peer();
    for (int i = 0; i < 1_000; i++) {
      peer();
      if (i % 20 == 0) {
        assertThat(steady.get("/a.txt").text()).isEqualTo("alpha");
        assertThat(get("/b.txt").status()).isEqualTo(200);
      }
    }
    assertThat(reading.readBytes(head.contentLength())).isEqualTo(pattern(8 << 20, 2));
    assertThat(onLoop(loop -> loop.connectionCount())).isLessThan(50 + 2 * 64);
  }

  @Test
  void attackersAtTheirQuotaHarmNoOther() throws Exception {
    // room for 64 heads of 16 KiB; 300 attackers want it
    LoopConfig limits =
        new LoopConfig(1_000, 64 << 10, 1 << 20, 4 << 20, 30_000_000_000L, 2_000_000_000L);
    start(c -> HttpConfig.of(c.server().withLoop(limits), c.site()));
    String head = "GET /a.txt HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(15_000);
    List<HttpPeer> attackers = new ArrayList<>();
    HttpPeer honest = peer();
    String request = HttpPeer.text("GET", "/a.txt", "X: " + "z".repeat(300));
    for (int i = 0; i < 300; i++) {
      HttpPeer attacker = peer();
      attacker.trySend(head.getBytes(StandardCharsets.US_ASCII));
      attackers.add(attacker);
      // in two pieces, so that it needs room too
      honest.send(request.substring(0, 200));
      onLoop(loop -> 0);
      honest.send(request.substring(200));
      assertThat(honest.read().text()).isEqualTo("alpha");
      attackers.get(i / 2).trySend(new byte[] {'y'});
    }
    assertThat(onLoop(loop -> loop.heldBytes())).isLessThanOrEqualTo(1 << 20);
  }

  @Test
  void slowReadersAreBoundedAndHarmNoOther() throws Exception {
    write("page.txt", pattern(8_000, 1));
    write("big.txt", pattern(900_000, 2));
    LoopConfig limits =
        new LoopConfig(1_000, 64 << 10, 4 << 20, 4 << 20, 30_000_000_000L, 2_000_000_000L);
    start(c -> HttpConfig.of(c.server().withLoop(limits), c.site()));
    byte[] many =
        HttpPeer.text("GET", "/page.txt").repeat(3_000).getBytes(StandardCharsets.US_ASCII);
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      writers.add(sendAside(peer(4_096), many));
    }
    for (int i = 0; i < 50; i++) {
      HttpPeer honest = peer(16 << 10);
      // three replies: more than the socket takes at once
      honest.send(HttpPeer.text("GET", "/big.txt") + HttpPeer.text("GET", "/page.txt").repeat(2));
      assertThat(honest.read().body()).isEqualTo(pattern(900_000, 2));
      assertThat(honest.read().body()).isEqualTo(pattern(8_000, 1));
      assertThat(honest.read().body()).isEqualTo(pattern(8_000, 1));
      assertThat(onLoop(loop -> loop.heldBytes())).isLessThanOrEqualTo(8 << 20);
    }
    writers.forEach(Thread::interrupt);
  }

  @Test
  void aClientThatReadsNothingIsCutOff() throws Exception {
    write("big.bin", pattern(20 << 20, 2));
    LoopConfig limits = new LoopConfig(100, 64 << 10, 4 << 20, 4 << 20, 300_000_000L, 300_000_000L);
    start(c -> HttpConfig.of(c.server().withLoop(limits), c.site()));
    HttpPeer lazy = peer(4_096);
    lazy.send(HttpPeer.text("GET", "/big.bin"));
    await(loop -> loop.counters().writeTimeouts(), 1);
    await(loop -> loop.connectionCount(), 0);
    HttpPeer pages = peer(4_096);
    pages.trySend(HttpPeer.text("GET", "/b.txt").repeat(900).getBytes(StandardCharsets.US_ASCII));
    HttpPeer steady = peer();
    for (int i = 0; i < 10; i++) {
      assertThat(steady.get("/a.txt").text()).isEqualTo("alpha");
    }
  }
}
