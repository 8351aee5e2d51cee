package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.memory.View;

/// RFC 9112 section 7.1.
class ChunkedDecoderTest {
  private static final long LIMIT = 1 << 20;

  /// The decoded data and the rest after the end; or the status; or `incomplete`.
  static String decode(String body, int piece) {
    ChunkedDecoder decoder = new ChunkedDecoder(LIMIT);
    View view = Bytes.view(body);
    StringBuilder data = new StringBuilder();
    int at = 0;
    int size = Math.min(piece, Math.max(1, view.length()));
    for (int end = Math.min(size, view.length()); ; end = Math.min(end + size, view.length())) {
      while (at < end && !decoder.done()) {
        int next = decoder.step(view, at, end);
        if (next < 0) {
          return Integer.toString(next);
        }
        assertThat(next).isGreaterThan(at).isLessThanOrEqualTo(end);
        at = next;
        data.append(view.latin1(decoder.dataFrom(), decoder.dataTo()));
      }
      if (decoder.done()) {
        assertThat(decoder.bodyBytes()).isEqualTo(data.length());
        return data + "|" + body.substring(at);
      }
      if (end == view.length()) {
        return "incomplete";
      }
    }
  }

  private static String decode(String body) {
    String whole = decode(body, Integer.MAX_VALUE);
    for (int piece = 1; piece < Math.min(body.length(), 20); piece++) {
      assertThat(decode(body, piece)).as("%s in pieces of %d", body, piece).isEqualTo(whole);
    }
    return whole;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "0rnrn!|",
        "0rnrnGET!|GET",
        "000rnrn!|",
        "5rnhellorn0rnrn!hello|",
        "5rnhellorn6rn worldrn0rnrn!hello world|",
        "0000000000000a0rn!incomplete",
        "00000000000000arn0123456789rn0rnrn!0123456789|",
        "Arn0123456789rn0rnrn!0123456789|",
        "2;arnxyrn0;brnrn!xy|",
        "2;a=brnxyrn0rnrn!xy|",
        "2 ; a = b ; crnxyrn0rnrn!xy|",
        "2;a=\"b;\\\"c\"rnxyrn0rnrn!xy|",
        "2;a=\"\";brnxyrn0rnrn!xy|",
        "0rnA: brnrn!|",
        "0rnA:rnB:\tcrnrnX!|X",
        "0rnContent-Length: 5rnrnX!|X",
        "5rnhello!incomplete",
        "0rn!incomplete"
      })
  void bodies(String body, String expected) {
    assertThat(decode(body.replace("rn", "\r\n"))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rn",
        "xrn",
        " 5rn",
        "-5rn",
        "+5rn",
        "0x5rn",
        "5_0rn",
        "5 rn",
        "5\trn",
        "5Hrn",
        "5\n",
        "5\rx",
        "5r5",
        "\u0000",
        "0000000000000000rn",
        "fffffffffffffffffrn",
        "5;rn",
        "5;=brn",
        "5; rn",
        "5;a=rn",
        "5;a b=crn",
        "5;a=b crn",
        "5;a=\"brn",
        "5;a=\"b\"crn",
        "5;a\nrn",
        "5;a\rb",
        "5;a=\u0001rn",
        "5;a=\"\\\nrn",
        "5;;rn",
        "5,rn",
        "5;a=b,crn",
        "5;a\u0000rn",
        "5;a=[]rn",
        "5rnhello0",
        "5rnhello\n",
        "5rnhellornrn",
        "5rnhello\rx",
        "5rnhellorrn",
        "0rn\n",
        "0rn\rx",
        "0rnrx",
        "0rn Arn",
        "0rnA brn",
        "0rnA : brn",
        "0rn: brn",
        "0rnA: b\n",
        "0rnA: b\rx",
        "0rnA: brn crn",
        "0rnArn",
        "0rnA: \u0000",
        "0rnA: \u007f",
        "0\n\n",
        "2rnxyrn0rnA\u0080: b"
      })
  void abuse(String body) {
    String wire = body.replaceAll("rn", "\r\n").replaceAll("r(?=[x5])", "\r");
    assertThat(decode(wire)).isEqualTo("-400");
  }

  @Test
  void bodyLimit() {
    assertThat(decode("100001\r\n")).isEqualTo("-413");
    assertThat(decode("fffffffffffffff\r\n")).isEqualTo("-413");
    assertThat(decode("1\r\nx\r\n100000\r\n")).isEqualTo("-413");
    assertThat(decode("100000\r\n")).isEqualTo("incomplete");
  }

  @Test
  void extensionsAndTrailersAreBounded() {
    assertThat(decode("1;" + "a".repeat(255) + "\r\nx\r\n0\r\n\r\n")).isEqualTo("x|");
    assertThat(decode("1;" + "a".repeat(256) + "\r\nx\r\n")).isEqualTo("-400");
    assertThat(decode("0\r\nA:" + "b".repeat(8000) + "\r\n\r\n")).isEqualTo("|");
    assertThat(decode("0\r\n" + "A: b\r\n".repeat(2000) + "\r\n")).isEqualTo("-431");
  }

  @Test
  void framingMayNotCostMuchMoreThanData() {
    String longExtensions = ("1;" + "a".repeat(200) + "\r\nx\r\n").repeat(100);
    assertThat(decode(longExtensions)).isEqualTo("-400");
    String tinyChunks = "1\r\nx\r\n".repeat(10_000) + "0\r\n\r\n";
    assertThat(decode(tinyChunks)).isEqualTo("x".repeat(10_000) + "|");
    String signed = ("1000;sig=" + "a".repeat(64) + "\r\n" + "y".repeat(4096) + "\r\n").repeat(200);
    assertThat(decode(signed, 1000)).isEqualTo("incomplete");
  }

  @Test
  void usableAgainAfterReset() {
    ChunkedDecoder decoder = new ChunkedDecoder(4);
    for (int i = 0; i < 3; i++) {
      View view = Bytes.view("4\r\nabcd\r\n0\r\n\r\n");
      int at = 0;
      while (!decoder.done()) {
        at = decoder.step(view, at, view.length());
      }
      assertThat(at).isEqualTo(view.length());
      decoder.reset();
      assertThat(decoder.done()).isFalse();
      assertThat(decoder.bodyBytes()).isZero();
    }
  }

  @Test
  void mutantsStayInBoundsAndPiecesAgree() {
    String valid = "5;a=\"b\";c\r\nhello\r\n0a\r\n0123456789\r\n0\r\nA: b\r\n\r\nGET";
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder(valid);
      for (int n = random.nextInt(4); n >= 0; n--) {
        text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
      }
      String body = text.toString();
      assertThat(decode(body, 1 + random.nextInt(10)))
          .as("seed %d", seed)
          .isEqualTo(decode(body, Integer.MAX_VALUE));
    }
  }
}
