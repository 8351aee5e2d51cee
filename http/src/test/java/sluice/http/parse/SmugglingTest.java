package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Known ways to make two recipients see different messages (RFC 9112 section 11.2): every one is
/// refused, or is no ambiguity for this parser and the test says why.
public class SmugglingTest {
  private static final String CHUNKED_BODY = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: b\r\n\r\n";

  /// Ways to write the Transfer-Encoding line so that one recipient sees it and another does not.
  public static List<String> disguises() {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "Transfer-Encoding: chunked",
                " Transfer-Encoding: chunked",
                "Transfer-Encoding:\tchunked",
                "Transfer-Encoding\t:\tchunked",
                "Transfer-Encoding : chunked",
                "Transfer-Encoding:  chunked",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: x chunked",
                "Transfer-Encoding: chunked, cow",
                "Transfer-Encoding: cow, chunked",
                "Transfer-Encoding: cow chunked bar",
                "Transfer-Encoding: chunked;",
                "Transfer-Encoding: chunked,",
                "Transfer-Encoding: ,chunked",
                "Transfer-Encoding: \"chunked\"",
                "Transfer-Encoding: 'chunked'",
                "Transfer-Encoding: chunk",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: identity, chunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding:",
                "Transfer-Encoding:chunked",
                "TrAnSFer-EnCODinG: cHuNkeD",
                "TRANSFER-ENCODING: CHUNKED",
                "Transfer-Encoding: chunked\r",
                "Transfer-Encoding: chunked\t",
                "Transfer-Encoding: chunked\n",
                "Transfer-Encoding: chunked\rX: y",
                "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow",
                "Transfer-Encoding:\r\n chunked",
                "Transfer-Encoding:\n chunked",
                "Transfer-Encoding\r\n : chunked",
                "Transfer-Encoding\n: chunked",
                "Transfer\r-Encoding: chunked",
                "Transfer Encoding: chunked",
                "X: X\rTransfer-Encoding: chunked",
                "X: X\nTransfer-Encoding: chunked",
                "X: X\n\nTransfer-Encoding: chunked",
                "X: X\r\r\nTransfer-Encoding: chunked",
                "X: X\r\n\rTransfer-Encoding: chunked",
                "\u0000Transfer-Encoding: chunked",
                "Transfer-Encoding\u0000: chunked",
                "Transfer-Encoding: chunked\u0000",
                "Transf\u0082r-Encoding: chunked",
                "Transfer-Encoding: ch\u0096nked",
                "Transfer-Encoding:\u00ffchunked",
                "Transfer-Encoding: chun\u212aed".replace('\u212a', 'K')));
    for (int c = 1; c < 256; c++) {
      if (c > 0x20 && c < 0x7f) {
        continue;
      }
      lines.add("Transfer-Encoding:" + (char) c + "chunked");
      lines.add("Transfer-Encoding" + (char) c + ": chunked");
      lines.add((char) c + "Transfer-Encoding: chunked");
      lines.add("Transfer-Encoding: chunked" + (char) c);
    }
    return lines;
  }

  @Test
  void disguisedTransferEncodingBesideContentLength() {
    for (String line : disguises()) {
      for (String both : List.of(line + "\r\nContent-Length: 6", "Content-Length: 6\r\n" + line)) {
        assertRefused(Bytes.head("POST / HTTP/1.1", "Host: a", both) + CHUNKED_BODY);
      }
    }
  }

  @Test
  void disguisedTransferEncodingAloneIsRefusedOrReadAsChunked() {
    for (String line : disguises()) {
      Parsed parsed = Parsed.of(Bytes.head("POST / HTTP/1.1", "Host: a", line) + CHUNKED_BODY);
      if (parsed.result > 0) {
        // White space around a value, and its case, mean nothing: no two readings.
        String value = line.substring(line.indexOf(':') + 1);
        assertThat(value.replaceAll("^[ \t]+|[ \t]+$", "").toLowerCase(Locale.ROOT))
            .isEqualTo("chunked");
        assertThat(parsed.request.bodyKind()).isEqualTo(BodyKind.CHUNKED);
      }
    }
  }

  @Test
  void namesThatOnlyLookLikeFramingFrameNothing() {
    // Valid names of their own; a recipient that takes one for the other is the one at fault, and
    // this server passes nothing on.
    for (String name :
        List.of("Transfer_Encoding", "Content_Length", "Content-Encoding", "Chunked")) {
      Parsed parsed = Parsed.ofLines(name + ": chunked");
      assertThat(parsed.result).isPositive();
      assertThat(parsed.request.bodyKind()).isEqualTo(BodyKind.NONE);
    }
  }

  public static Stream<String> lengths() {
    return Stream.of(
        "Content-Length: 6\r\nContent-Length: 6",
        "Content-Length: 6\r\nContent-Length: 7",
        "Content-Length: 0\r\ncontent-length: 44",
        "Content-Length: 6, 6",
        "Content-Length: 6,7",
        "Content-Length: 6;7",
        "Content-Length: 6 7",
        "Content-Length: +6",
        "Content-Length: -6",
        "Content-Length: 6\u0000",
        "Content-Length: 0x6",
        "Content-Length: 6e0",
        "Content-Length: 6.0",
        "Content-Length: 6_0",
        "Content-Length: \u0666",
        "Content-Length: 18446744073709551622",
        "Content-Length: 9223372036854775808",
        "Content-Length: 4294967296000000000000000006",
        "Content-Length : 6",
        "Content-Length\t: 6",
        " Content-Length: 6",
        "Content-Length:\r\n 6",
        "Content-Length: 6\r\n 7",
        "Content-Length:\u000b6",
        "Content-Length:\u000c6",
        "Content-Length:\u00a06",
        "Content-Length: '6'",
        "Content-Length: \"6\"",
        "Content-Length:",
        "X: y\nContent-Length: 6",
        "X: y\rContent-Length: 6",
        "Content-Length: 6\nX: y",
        "Content-Length: 6\rX: y");
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void lengthsWithTwoReadings(String lines) {
    // A character beyond ISO-8859-1 stands for its UTF-8 bytes.
    String sent = lines.replace("\u0666", "\u00d9\u00a6");
    assertRefused(Bytes.head("POST / HTTP/1.1", "Host: a", sent) + "x".repeat(6));
    assertRefused(Bytes.head("POST / HTTP/1.0", "Host: a", sent) + "x".repeat(6));
  }

  public static Stream<String> heads() {
    return Stream.of(
        Bytes.head("POST / HTTP/1.0", "Host: a", "Transfer-Encoding: chunked") + CHUNKED_BODY,
        Bytes.head("GET / HTTP/1.1", "Host: a", "Host: b"),
        Bytes.head("GET / HTTP/1.1", "Host: a, b"),
        Bytes.head("GET / HTTP/1.1", "Host: a,b"),
        Bytes.head("GET / HTTP/1.1", "Host: a@b"),
        Bytes.head("GET / HTTP/1.1", "Host: a b"),
        Bytes.head("GET / HTTP/1.1", "Host: a/b"),
        Bytes.head("GET / HTTP/1.1", " Host: a", "Host: b"),
        Bytes.head("GET / HTTP/1.1", "Host : a"),
        Bytes.head("GET / HTTP/1.1", "Host: a", "X: y", " Host: b"),
        Bytes.head("GET / HTTP/1.1 HTTP/1.1", "Host: a"),
        Bytes.head("GET / HTTP/1.1\r\n Host: a", "Host: b"),
        Bytes.head("GET /\u000b HTTP/1.1", "Host: a"),
        Bytes.head("GET /\u00a0HTTP/1.1", "Host: a"),
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\rHost: a\r\r",
        "GET / HTTP/1.1\r\nHost: a\r\n\rX",
        "GET / HTTP/1.1\n\r\nHost: a\r\n\r\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\u0000: x\r\n\r\n",
        "GET /smuggled\r\n\r\n",
        "0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }

  @ParameterizedTest
  @MethodSource("heads")
  void headsWithTwoReadings(String head) {
    assertRefused(head);
  }

  private static void assertRefused(String message) {
    assertThat(Parsed.of(message).result).as(message).isIn(-400, -501);
    // In pieces, a head without any line feed is known to be wrong only at the end.
    byte[] bytes = Bytes.latin1(message + "\r\n\r\n");
    int[] cuts = new int[bytes.length];
    for (int i = 0; i < cuts.length; i++) {
      cuts[i] = i;
    }
    assertThat(Parsed.pieces(bytes, cuts).result).as(message).isIn(-400, -501);
  }
}
