package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Framing, methods, persistence, order and request bodies.
abstract class HttpContractMessages extends HttpContractRig {
  @Test
  void getHeadAndOptions() throws IOException {
    age();
    HttpPeer peer = peer();
    HttpAnswer get = peer.get("/a.txt");
    assertThat(get.status()).isEqualTo(200);
    assertThat(get.text()).isEqualTo("alpha");
    assertThat(get.the("Content-Type")).isEqualTo("text/plain; charset=utf-8");
    assertThat(get.the("Accept-Ranges")).isEqualTo("bytes");
    assertThat(get.the("Date")).endsWith(" GMT").hasSize(29);
    assertThat(get.the("ETag")).matches("\"[!-~]+\"");
    assertThat(get.field("Connection")).isNull();
    HttpAnswer head = peer.request("HEAD", "/a.txt");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.lastingFields()).isEqualTo(get.lastingFields());
    for (String target : new String[] {"/a.txt", "*"}) {
      HttpAnswer options = peer.request("OPTIONS", target);
      assertThat(options.status()).isEqualTo(204);
      assertThat(options.the("Allow")).isEqualTo("GET, HEAD, OPTIONS");
      assertThat(options.field("Content-Length")).isNull();
    }
    assertThat(peer.get("/b.txt").text()).isEqualTo("bravo, the second file");
  }

  @Test
  void headHasTheFieldsOfGetEverywhere() throws IOException {
    write("big.bin", pattern(100_000, 1));
    write("dir/x.txt", "x");
    age();
    for (String target :
        new String[] {"/", "/a.txt", "/big.bin", "/none", "/dir", "/dir/", "/.hidden", "/%2f"}) {
      for (String encoding : new String[] {"identity", "gzip"}) {
        String accept = "Accept-Encoding: " + encoding;
        HttpAnswer get = get(target, accept);
        HttpAnswer head = request("HEAD", target, accept);
        assertThat(head.status()).isEqualTo(get.status());
        assertThat(head.lastingFields()).isEqualTo(get.lastingFields());
        // and the same as a hit
        assertThat(request("HEAD", target, accept).lastingFields()).isEqualTo(get.lastingFields());
        assertThat(get(target, accept).lastingFields()).isEqualTo(get.lastingFields());
      }
    }
  }

  @Test
  void otherMethodsAreRefusedAndTheConnectionGoesOn() throws IOException {
    HttpPeer peer = peer();
    for (String method : new String[] {"POST", "PUT", "DELETE", "PATCH", "TRACE"}) {
      HttpAnswer reply = peer.request(method, "/a.txt", "Content-Length: 0");
      assertThat(reply.status()).isEqualTo(405);
      assertThat(reply.the("Allow")).isEqualTo("GET, HEAD, OPTIONS");
    }
    for (String method : new String[] {"BREW", "get", "PROPFIND", "X-1"}) {
      assertThat(peer.request(method, "/a.txt").status()).isEqualTo(501);
    }
    assertThat(peer.get("/a.txt").status()).isEqualTo(200);
  }

  @Test
  void persistenceFollowsVersionAndConnectionField() throws IOException {
    for (String target : new String[] {"/a.txt", "/none", "/fresh-miss"}) {
      HttpPeer close = peer();
      HttpAnswer last = close.get(target, "Connection: x, ClOse");
      assertThat(last.closes()).isTrue();
      assertThat(close.ended()).isTrue();

      HttpPeer old = peer();
      old.send("GET " + target + " HTTP/1.0\r\n\r\n");
      assertThat(old.read().closes()).isTrue();
      assertThat(old.ended()).isTrue();

      HttpPeer keep = peer();
      for (int i = 0; i < 3; i++) {
        keep.send("GET " + target + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assertThat(keep.read().the("Connection")).isEqualTo("keep-alive");
      }
      keep.send("GET " + target + " HTTP/1.0\r\n\r\n");
      assertThat(keep.read().closes()).isTrue();
      assertThat(keep.ended()).isTrue();
    }
  }

  @Test
  void pipelinedRepliesKeepTheirOrder() throws IOException {
    write("large.bin", pattern(3 << 20, 3));
    for (int i = 0; i < 30; i++) {
      write("f" + i + ".txt", "content of " + i);
    }
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      all.append(
          switch (i % 10) {
            case 3 -> HttpPeer.text("GET", "/missing-" + i);
            case 5 -> HttpPeer.text("HEAD", "/a.txt");
            case 7 -> HttpPeer.text("POST", "/a.txt", "Content-Length: 3") + "abc";
            case 9 -> i == 59 ? HttpPeer.text("GET", "/large.bin") : HttpPeer.text("OPTIONS", "/");
            default -> HttpPeer.text("GET", "/f" + i % 30 + ".txt");
          });
    }
    HttpPeer peer = peer();
    for (int round = 0; round < 2; round++) {
      peer.send(all.toString());
      for (int i = 0; i < 100; i++) {
        checkPipelined(peer, i);
      }
    }
  }

  /// A run of equal requests may be answered at once: each still gets its reply, of its own file,
  /// and what follows the run is seen.
  @Test
  void requestsThatRepeatGetAReplyEach() throws IOException {
    write("page.bin", pattern(5_000, 4));
    age();
    int[] runs = {1, 2, 3, 15, 16, 17, 40};
    String[] targets = {"/a.txt", "/b.txt", "/page.bin", "/none"};
    StringBuilder all = new StringBuilder();
    for (int run : runs) {
      for (String target : targets) {
        all.append(HttpPeer.text("GET", target, "X: y").repeat(run));
        all.append(HttpPeer.text("HEAD", target).repeat(run));
      }
    }
    for (int round = 0; round < 2; round++) {
      HttpPeer peer = peer();
      peer.send(all.toString());
      for (int run : runs) {
        for (String target : targets) {
          HttpAnswer alone = get(target);
          for (int i = 0; i < run; i++) {
            assertThat(peer.read().body()).as(target).isEqualTo(alone.body());
          }
          for (int i = 0; i < run; i++) {
            assertThat(peer.read("HEAD").contentLength()).isEqualTo(alone.body().length);
          }
        }
      }
      String last = HttpPeer.text("GET", "/a.txt", "Connection: close");
      peer.send(HttpPeer.text("GET", "/a.txt").repeat(20) + last + last);
      for (int i = 0; i < 21; i++) {
        assertThat(peer.read().closes()).isEqualTo(i == 20);
      }
      assertThat(peer.ended()).isTrue();
    }
  }

  /// The reply written last is not the answer to a request that has to wait for its file.
  @Test
  void missesThatRepeatBehindAHitAreNotAnsweredWithIt() throws IOException {
    HttpPeer peer = peer();
    peer.get("/a.txt");
    for (int i = 0; i < 5; i++) {
      write("new" + i + ".txt", "new " + i);
      String first = HttpPeer.text("GET", "/a.txt");
      peer.send(first + HttpPeer.text("GET", "/new" + i + ".txt").repeat(4) + first);
      assertThat(peer.read().text()).isEqualTo("alpha");
      for (int n = 0; n < 4; n++) {
        assertThat(peer.read().text()).isEqualTo("new " + i);
      }
      assertThat(peer.read().text()).isEqualTo("alpha");
    }
  }

  private static void checkPipelined(HttpPeer peer, int i) throws IOException {
    switch (i % 10) {
      case 3 -> assertThat(peer.read().status()).isEqualTo(404);
      case 5 -> assertThat(peer.read("HEAD").contentLength()).isEqualTo(5);
      case 7 -> assertThat(peer.read().status()).isEqualTo(405);
      case 9 -> {
        HttpAnswer reply = peer.read();
        if (i == 59) {
          assertThat(reply.body()).isEqualTo(pattern(3 << 20, 3));
        } else {
          assertThat(reply.status()).isEqualTo(204);
        }
      }
      default -> assertThat(peer.read().text()).isEqualTo("content of " + i % 30);
    }
  }

  @Test
  void requestsMayBeCutAnywhere() throws Exception {
    String first = HttpPeer.text("GET", "/a.txt", "X-Pad: 123", "Accept-Encoding: gzip");
    String second = HttpPeer.text("POST", "/b.txt", "Transfer-Encoding: chunked");
    String body = "4;x=\"y\"\r\nabcd\r\n1\r\nz\r\n0\r\nTrailer: t\r\n\r\n";
    String third = HttpPeer.text("HEAD", "/none");
    byte[] all = (first + second + body + third).getBytes(StandardCharsets.US_ASCII);
    HttpPeer peer = peer();
    for (int cut = 1; cut < all.length; cut++) {
      peer.send(java.util.Arrays.copyOf(all, cut));
      if (cut % 7 == 0) {
        Thread.sleep(1); // otherwise the two pieces may arrive as one
      }
      onLoop(loop -> 0);
      peer.send(java.util.Arrays.copyOfRange(all, cut, all.length));
      assertThat(peer.read().text()).isEqualTo("alpha");
      assertThat(peer.read().status()).isEqualTo(405);
      assertThat(peer.read("HEAD").status()).isEqualTo(404);
    }
  }

  @Test
  void requestsMayComeByteByByte() throws IOException {
    String all = HttpPeer.text("GET", "/a.txt") + HttpPeer.text("GET", "/b.txt");
    HttpPeer peer = peer();
    for (byte b : all.getBytes(StandardCharsets.US_ASCII)) {
      peer.send(new byte[] {b});
      onLoop(loop -> 0);
    }
    assertThat(peer.read().text()).isEqualTo("alpha");
    assertThat(peer.read().text()).startsWith("bravo");
  }

  @Test
  void bodiesAreSkippedWithoutLosingTheWay() throws IOException {
    Random random = new Random(7);
    String smuggled = HttpPeer.text("GET", "/b.txt");
    HttpPeer peer = peer();
    for (int length : new int[] {0, 1, smuggled.length(), 70_000, 1 << 20}) {
      byte[] body = new byte[length];
      for (int i = 0; i < length; i++) {
        body[i] = (byte) smuggled.charAt(i % smuggled.length());
      }
      for (String method : new String[] {"GET", "POST", "BREW", "OPTIONS"}) {
        // a new name each time: the GET is deferred while its body comes
        String target = "/n" + random.nextInt();
        peer.send(HttpPeer.text(method, target, "Content-Length: " + length));
        peer.send(body);
        assertThat(peer.read().status()).isIn(404, 405, 501, 204);
        peer.send(HttpPeer.text(method, target, "Transfer-Encoding: chunked"));
        if (length > 0) {
          peer.send(Integer.toHexString(length) + "\r\n").send(body).send("\r\n");
        }
        peer.send("0\r\n\r\n");
        assertThat(peer.read().status()).isIn(404, 405, 501, 204);
        assertThat(peer.get("/a.txt").text()).isEqualTo("alpha");
      }
    }
  }

  @Test
  void oversizeBodyEndsTheConnection() throws IOException {
    for (String method : new String[] {"GET", "POST"}) {
      for (String target : new String[] {"/a.txt", "/none", "/unseen-" + method}) {
        HttpPeer peer = peer();
        peer.send(HttpPeer.text(method, target, "Content-Length: 99999999"));
        peer.trySend(new byte[300_000]);
        HttpAnswer reply = peer.read();
        assertThat(reply.closes()).isTrue();
        assertThat(peer.gone()).isTrue();
      }
    }
    HttpPeer chunked = peer();
    chunked.send(HttpPeer.text("POST", "/a.txt", "Transfer-Encoding: chunked"));
    chunked.send("fffffff\r\n");
    assertThat(chunked.read().status()).isEqualTo(405);
    assertThat(chunked.gone()).isTrue();
  }

  @Test
  void brokenChunkedBodyEndsTheConnection() throws IOException {
    for (String body :
        new String[] {"x\r\n", "-1\r\n", "1 \r\nab", "2\r\nabc", "1\nab", "0\r\nbad\r\n\r\n"}) {
      HttpPeer peer = peer();
      peer.send(HttpPeer.text("POST", "/a.txt", "Transfer-Encoding: chunked"));
      peer.trySend((body + HttpPeer.text("GET", "/b.txt")).getBytes(StandardCharsets.US_ASCII));
      assertThat(peer.read().status()).isEqualTo(405);
      assertThat(peer.gone()).as(body).isTrue();
    }
  }

  @Test
  void aClientThatExpectsToContinueGetsTheFinalStatus() throws IOException {
    for (String method : new String[] {"GET", "POST", "BREW"}) {
      for (String target : new String[] {"/a.txt", "/unseen-" + method}) {
        HttpPeer peer = peer();
        peer.send(HttpPeer.text(method, target, "Content-Length: 5", "Expect: 100-continue"));
        HttpAnswer reply = peer.read();
        assertThat(reply.status()).isIn(200, 404, 405, 501);
        assertThat(reply.closes()).isTrue();
        assertThat(peer.ended()).isTrue();
      }
    }
    HttpPeer unknown = peer();
    unknown.send(HttpPeer.text("GET", "/a.txt", "Expect: the-best") + HttpPeer.text("GET", "/"));
    HttpAnswer reply = unknown.read();
    assertThat(reply.status()).isEqualTo(417);
    assertThat(reply.closes()).isTrue();
    assertThat(unknown.ended()).isTrue();
  }

  @Test
  void halfCloseAfterTheRequestIsStillAnswered() throws IOException {
    write("large.bin", pattern(5 << 20, 9));
    for (String target : new String[] {"/a.txt", "/b.txt", "/large.bin", "/none"}) {
      HttpPeer peer = peer();
      peer.send(HttpPeer.text("GET", target) + HttpPeer.text("GET", "/a.txt")).finish();
      HttpAnswer reply = peer.read();
      if (target.equals("/large.bin")) {
        assertThat(reply.body()).isEqualTo(pattern(5 << 20, 9));
      }
      assertThat(peer.read().text()).isEqualTo("alpha");
      assertThat(peer.ended()).isTrue();
    }
  }

  @Test
  void halfCloseInTheMiddleOfARequestEndsQuietly() throws IOException {
    String whole = HttpPeer.text("GET", "/a.txt");
    for (int cut = 0; cut < whole.length(); cut += 5) {
      HttpPeer peer = peer();
      peer.send(whole.substring(0, cut)).finish();
      assertThat(peer.readAll()).isEmpty();
    }
  }

  @Test
  void emptyLinesBeforeARequestAreForgiven() throws IOException {
    HttpPeer peer = peer();
    peer.send("\r\n" + HttpPeer.text("GET", "/a.txt") + "\r\n" + HttpPeer.text("GET", "/b.txt"));
    assertThat(peer.read().text()).isEqualTo("alpha");
    assertThat(peer.read().text()).startsWith("bravo");
  }

  @Test
  void aSlowReaderGetsAllOfAThousandPipelinedReplies() throws Exception {
    byte[] content = pattern(20_000, 5);
    write("page.bin", content);
    ByteArrayOutputStream requests = new ByteArrayOutputStream();
    byte[] one = HttpPeer.text("GET", "/page.bin").getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 1_000; i++) {
      requests.write(one);
    }
    HttpPeer peer = peer(32 << 10);
    Thread writer = sendAside(peer, requests.toByteArray());
    for (int i = 0; i < 1_000; i++) {
      assertThat(peer.read().body()).isEqualTo(content);
    }
    assertThat(writer.join(Duration.ofSeconds(60))).isTrue();
  }
}
