package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.View;

/// What holds for every input. Each failure names its seed or the input itself.
@Timeout(120)
class HttpParserPropertyTest {
  /// Heads that are right, or wrong in one way; between them they reach every branch.
  static final List<String> HEADS =
      List.of(
          ParserSpeed.SMALL,
          ParserSpeed.BROWSER,
          Bytes.head("GET / HTTP/1.0"),
          "\r\n" + Bytes.head("GET /?a?b HTTP/1.1", "Host: [::1]:80", "X:", "Y: \t "),
          Bytes.head("GET http://a.example:80/b?c HTTP/1.1", "host: d", "Connection: close"),
          Bytes.head("OPTIONS * HTTP/1.1", "Host: a", "Connection: x, upgrade", "Upgrade: y"),
          Bytes.head("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443"),
          Bytes.head("CONNECT [1:2::7:1.2.3.4]:1 HTTP/1.1", "Host: %61-b.c"),
          Bytes.head("POST /a HTTP/1.1", "Host: a", "Content-Length: 12", "Expect: 100-continue"),
          Bytes.head("PUT /a HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "Expect: z"),
          Bytes.head("PUT /a HTTP/1.1", "Host: a", "Transfer-Encoding: gzip, chunked"),
          Bytes.head("PUT /a HTTP/1.1", "Host: a", "Transfer-Encoding: chunked, gzip"),
          Bytes.head("PUT /a HTTP/1.1", "Host: a", "Content-Length: 1", "Content-Length: 1"),
          Bytes.head("PUT /a HTTP/1.1", "Host: a", "Content-Length: 1", "Transfer-Encoding: x"),
          Bytes.head("GET / HTTP/2.0", "Host: a"),
          Bytes.head("GET / HTTP/1.3", "Host: a", "If-Modified-Since: x", "If-Range: \"\""),
          Bytes.head("GET / HTTP/1.1", "If-Unmodified-Since: x", "Range: bytes=0-1", "Host: b"),
          Bytes.head("GET / HTTP/1.1", "Host: a", "X: y", " folded"),
          Bytes.head("GET / HTTP/1.1", "Host: a", "X : y"),
          "GET / HTTP/1.1\nHost: a\n\n",
          "GET / HTTP/1.1\r\nHost: a\n\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\rX: y\r\n\r\n",
          "\r\n\r\nGET / HTTP/1.1\r\n\r\n",
          Bytes.head("GETGETGETGETGETGETGETGETGETGETGETGET / HTTP/1.1", "Host: a"));

  @Test
  void agreesWithTheGrammar() {
    for (String head : HEADS) {
      String expected = ReferenceParser.summary(head);
      if (expected != null) {
        assertThat(Parsed.of(head).summary()).as(head).isEqualTo(expected);
      }
    }
  }

  @Test
  void cutAnywhereTheResultIsTheSame() {
    for (String head : HEADS) {
      byte[] bytes = Bytes.latin1(head + "GET /next");
      String whole = Parsed.of(bytes).summary();
      for (int i = 0; i < bytes.length; i++) {
        assertThat(Parsed.pieces(bytes, i).summary()).as("cut at %d: %s", i, head).isEqualTo(whole);
        assertThat(Parsed.pieces(bytes, i / 2, i).summary()).as(head).isEqualTo(whole);
      }
    }
  }

  @Test
  void oneByteAtATimeTheResultIsTheSame() {
    for (String head : HEADS) {
      byte[] bytes = Bytes.latin1(head);
      int[] cuts = new int[bytes.length];
      for (int i = 0; i < cuts.length; i++) {
        cuts[i] = i;
      }
      assertThat(Parsed.pieces(bytes, cuts).summary())
          .as(head)
          .isEqualTo(Parsed.of(bytes).summary());
    }
  }

  @Test
  void mutantsAgreeWithTheGrammarWholeAndInPieces() {
    String interesting = "\r\n\t :,;/?#%[]@*\u0000\u007f\u0080\u00ff019aAzZ-._\"";
    for (int seed = 0; seed < 60_000; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder(HEADS.get(random.nextInt(HEADS.size())));
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        mutate(text, random, interesting);
      }
      // A mistake in a head that comes in pieces may be refused only when the head is whole.
      text.append("\r\n\r\n");
      byte[] bytes = Bytes.latin1(text.toString());
      String whole = Parsed.of(bytes).summary();
      String expected = ReferenceParser.summary(text.toString());
      if (expected != null) {
        assertThat(whole).as("seed %d: %s", seed, text).isEqualTo(expected);
      }
      int cut = random.nextInt(bytes.length + 1);
      assertThat(Parsed.pieces(bytes, cut / 3, cut).summary())
          .as("seed %d, cut at %d: %s", seed, cut, text)
          .isEqualTo(whole);
    }
  }

  /// What is kept of the head before must not show in a head that is almost the same.
  @Test
  void whatCameBeforeDoesNotShow() {
    HttpRequest request = new HttpRequest(HttpLimits.DEFAULT);
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      String head = HEADS.get(random.nextInt(HEADS.size()));
      for (int n = 0; n < 4; n++) {
        StringBuilder text = new StringBuilder(head);
        if (random.nextInt(3) == 0) {
          mutate(text, random, "\r\n :/?1aA,");
        }
        if (random.nextBoolean()) {
          text.append(head);
        }
        byte[] bytes = Bytes.latin1(text.toString());
        assertThat(Parsed.of(bytes, request).summary())
            .as("seed %d, head %d: %s", seed, n, text)
            .isEqualTo(Parsed.of(bytes).summary());
      }
    }
  }

  private static void mutate(StringBuilder text, Random random, String interesting) {
    int at = random.nextInt(text.length());
    char c =
        random.nextInt(4) == 0
            ? (char) random.nextInt(256)
            : interesting.charAt(random.nextInt(interesting.length()));
    switch (random.nextInt(4)) {
      case 0 -> text.setCharAt(at, c);
      case 1 -> text.insert(at, c);
      case 2 -> text.deleteCharAt(at);
      default -> {
        int to = Math.min(text.length(), at + random.nextInt(20));
        text.insert(random.nextInt(text.length()), text.substring(at, to));
      }
    }
    if (text.isEmpty()) {
      text.append(c);
    }
  }

  @Test
  void slowClientCostsLinearTime() {
    byte[] bytes = Bytes.latin1("GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(16_000));
    // Square time would look at 128 million bytes, each of them a few nanoseconds.
    assertThat(countedBytes(bytes)).isLessThanOrEqualTo(4L * bytes.length);
  }

  /// Bytes that are looked at when the input comes one byte at a time: the new one and three
  /// before.
  private static long countedBytes(byte[] bytes) {
    HttpRequest request = new HttpRequest(HttpLimits.DEFAULT);
    long looked = 0;
    for (int to = 1; to <= bytes.length; to++) {
      // The view starts at the last four bytes: touching what is before them would throw.
      int hidden = Math.max(0, to - 4);
      byte[] shown = Arrays.copyOfRange(bytes, hidden, to);
      View view = Bytes.view(shown);
      assertThat(Parsed.PARSER.parse(view, -hidden, shown.length, to - 1, request)).isZero();
      looked += to - hidden;
    }
    return looked;
  }
}
