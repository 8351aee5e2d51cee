package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.text.AsciiSet;

/// RFC 9112 sections 3.2, 5, 6 and 9.3; RFC 9110 sections 5, 7.2 and 10.1.1.
class HeaderLinesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "X : v",
        "X\t: v",
        " X: v",
        "\tX: v",
        ": v",
        "X",
        "X v",
        "X: v\r\n w",
        "X: v\r\n\tw",
        "X: v\rw",
        "X: v\nw",
        "X: v\r",
        "X: v\n",
        "X: \u0000",
        "X: v\u0001",
        "X: \u000bv",
        "X: \u001f",
        "X: \u007f",
        "X(: v",
        "X\u00e9: v",
        "X\u0000: v",
        "X/Y: v",
        "X[]: v",
        "\"X\": v",
        "X,Y: v",
        "abcdefgh(: v",
        "abcdefgh\u0080: v"
      })
  void badLines(String line) {
    assertThat(Parsed.ofLines(line).result).isEqualTo(-400);
    assertThat(Parsed.ofLines("A: b", line, "C: d").result).isEqualTo(-400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '^' /* not in any value */,
      value = {
        "X:v^X=v",
        "X:^X=",
        "X: ^X=",
        "X: \t ^X=",
        "X: a b ^X=a b",
        "X:\ta\tb\t^X=a\tb",
        "X: : ^X=:",
        "!#$%&'*+-.|~_`09: v^!#$%&'*+-.|~_`09=v",
        "a_long_name_with_underscores: v^a_long_name_with_underscores=v",
        "eight-ch: v^eight-ch=v",
        "X: \u00e9\u00ff\u0080^X=\u00e9\u00ff\u0080"
      },
      ignoreLeadingAndTrailingWhitespace = false)
  void goodLines(String line, String expected) {
    assertThat(Parsed.ofLines(line).lines()).containsExactly("Host=a", expected);
  }

  @ParameterizedTest
  @EnumSource(Field.class)
  void knownFields(Field field) {
    String value =
        switch (field) {
          case HOST, CONTENT_LENGTH -> "1";
          case TRANSFER_ENCODING -> "chunked";
          default -> "some value";
        };
    for (String name :
        new String[] {
          field.fieldName(),
          field.fieldName().toLowerCase(Locale.ROOT),
          field.fieldName().toUpperCase(Locale.ROOT)
        }) {
      String hostIfNeeded = field == Field.HOST ? "A: b" : "Host: h";
      Parsed parsed = Parsed.of(Bytes.head("GET / HTTP/1.1", hostIfNeeded, name + ": " + value));
      assertThat(parsed.result).isPositive();
      assertThat(parsed.request.has(field)).isTrue();
      assertThat(parsed.request.firstLine(field)).isEqualTo(1);
      assertThat(parsed.request.isRepeated(field)).isFalse();
      assertThat(parsed.request.header(name)).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @EnumSource(Field.class)
  void almostKnownFields(Field field) {
    String name = field.fieldName();
    for (int i = 0; i < name.length(); i++) {
      for (char c : new char[] {'x', '-', '.', '_', '0', (char) (name.charAt(i) ^ 0x10)}) {
        if (c == name.charAt(i) || !AsciiSet.TOKEN.has((byte) c)) {
          continue;
        }
        String other = name.substring(0, i) + c + name.substring(i + 1);
        assertThat(Parsed.ofLines(other + ": v").request.firstLine(field))
            .as(other)
            .isEqualTo(field == Field.HOST ? 0 : -1);
      }
    }
    assertThat(Parsed.ofLines(name + "x: 1").request.seen).isEqualTo(Field.HOST.bit());
    assertThat(Parsed.ofLines(name.substring(1) + ": 1").request.seen).isEqualTo(Field.HOST.bit());
  }

  @Test
  void repeatedLines() {
    HttpRequest request =
        Parsed.ofLines("If-Match: \"a\"", "X: 1", "if-match: \"b\"", "x: 2", "IF-MATCH: \"c\"")
            .request;
    assertThat(request.isRepeated(Field.IF_MATCH)).isTrue();
    assertThat(request.firstLine(Field.IF_MATCH)).isEqualTo(1);
    assertThat(request.nextLine(1)).isEqualTo(3);
    assertThat(request.nextLine(3)).isEqualTo(5);
    assertThat(request.nextLine(5)).isEqualTo(-1);
    assertThat(request.nextLine(2)).isEqualTo(-1);
    assertThat(request.findLine("x")).isEqualTo(2);
    assertThat(request.findLine("X", 3)).isEqualTo(4);
    assertThat(request.findLine("X", 5)).isEqualTo(-1);
    assertThat(request.header("y")).isNull();
  }

  @Test
  void atMostAHundredLines() {
    String[] lines = new String[100];
    java.util.Arrays.fill(lines, "a: b");
    lines[0] = "Host: h";
    assertThat(Parsed.of("GET / HTTP/1.1\r\n" + Bytes.head(lines)).result).isPositive();
    assertThat(Parsed.ofLines(lines).result).isEqualTo(-400); // Host twice
    lines[0] = "a: b";
    assertThat(Parsed.ofLines(lines).result).isEqualTo(-431);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "a,b",
        "a/b",
        "u@h",
        "a:b",
        "a:65536",
        "a:-1",
        "a:1:2",
        ":80",
        "a%",
        "a%2",
        "a%zz",
        "[::1",
        "::1",
        "[::1]x",
        "[::1]:x",
        "[]",
        "[:]",
        "[1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:8:9]",
        "[::1::]",
        "[12345::]",
        "[::1.2.3]",
        "[::1.2.3.256]",
        "[1::2:]",
        "[:1::2]",
        "[g::]",
        "[v1.a]",
        "a\\b",
        "a?b",
        "a#b",
        "<a>",
        "a\"",
        "h\u00e9",
        "a:000080",
        "http://a",
        "[1:2:3:4:5:6:7::8]x",
        "[::1.2.3.4:5]"
      })
  void invalidHosts(String host) {
    assertThat(Parsed.of(Bytes.head("GET / HTTP/1.1", "Host: " + host)).result).isEqualTo(-400);
    assertThat(Parsed.of(Bytes.head("GET / HTTP/1.0", "Host: " + host)).result).isEqualTo(-400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a:",
        "a:80",
        "a:0",
        "a:65535",
        "127.0.0.1:8080",
        "a-b.example.org",
        "A.B",
        "a_b",
        "a.",
        "%61",
        "xn--bcher-kva.example",
        "a!$&'()*+;=~",
        "[::]",
        "[::1]",
        "[::1]:80",
        "[1::]",
        "[1:2:3:4:5:6:7:8]",
        "[1:2:3:4:5:6:7::]",
        "[::ffff:1.2.3.4]",
        "[1:2:3:4:5:6:1.2.3.4]",
        "[FE80::1]:443",
        "www.a-rather-long-name.example.org:8443"
      })
  void validHosts(String host) {
    Parsed parsed = Parsed.of(Bytes.head("GET / HTTP/1.1", "Host: \t" + host + " \t"));
    assertThat(parsed.result).isPositive();
    assertThat(parsed.host()).isEqualTo(host);
  }

  @Test
  void hostIsNeededOnceFromHttp11On() {
    assertThat(Parsed.of("GET / HTTP/1.1\r\n\r\n").result).isEqualTo(-400);
    assertThat(Parsed.of("GET http://a/ HTTP/1.1\r\n\r\n").result).isEqualTo(-400);
    assertThat(Parsed.of("GET / HTTP/1.0\r\n\r\n").result).isPositive();
    assertThat(Parsed.of("GET / HTTP/1.0\r\n\r\n").host()).isEmpty();
    assertThat(Parsed.ofLines("Host: a").result).isEqualTo(-400);
    assertThat(Parsed.of(Bytes.head("GET / HTTP/1.0", "Host: a", "Host: b")).result)
        .isEqualTo(-400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "+1",
        "-1",
        "1,1",
        "1, 1",
        "1 1",
        "0x1",
        "1.0",
        "1e1",
        "a",
        "1a",
        "\u00b2",
        "9223372036854775808",
        "1000000000000000000",
        "99999999999999999999999",
        "1;",
        "\"1\""
      })
  void invalidContentLengths(String length) {
    assertThat(Parsed.ofLines("Content-Length: " + length).result).isEqualTo(-400);
  }

  @Test
  void bodies() {
    assertThat(Parsed.ofLines("X: y").request.bodyKind()).isEqualTo(BodyKind.NONE);
    assertThat(Parsed.ofLines("Content-Length: 0").request.bodyKind()).isEqualTo(BodyKind.NONE);
    HttpRequest fixed = Parsed.ofLines("Content-Length:\t012 ").request;
    assertThat(fixed.bodyKind()).isEqualTo(BodyKind.FIXED);
    assertThat(fixed.contentLength()).isEqualTo(12);
    assertThat(Parsed.ofLines("Content-Length: 999999999999999999").request.contentLength())
        .isEqualTo(999_999_999_999_999_999L);
    HttpRequest chunked = Parsed.ofLines("Transfer-Encoding: Chunked").request;
    assertThat(chunked.bodyKind()).isEqualTo(BodyKind.CHUNKED);
    assertThat(chunked.contentLength()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ':',
      value = {
        "'gzip, chunked':-501",
        "'gzip,deflate , chunked':-501",
        "'x-y, CHUNKED':-501",
        "gzip:-400",
        "identity:-400",
        "xchunked:-400",
        "'chunked, gzip':-400",
        "'chunked, chunked':-400",
        "'chunked,':-400",
        "', chunked':-400",
        "'':-400",
        "'\"chunked\"':-400",
        "'chunked;a=b':-400",
        "'chunked;':-400",
        "chunk:-400",
        "'chun ked':-400",
        "'gzip;q=1, chunked':-400",
        "'chunked chunked':-400"
      })
  void otherTransferCodings(String codings, int expected) {
    assertThat(Parsed.ofLines("Transfer-Encoding: " + codings).result).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "1.1;'';true",
        "1.1;close;false",
        "1.1;Close;false",
        "1.1;keep-alive;true",
        "1.1;keep-alive, close;false",
        "1.1;x,close ,y;false",
        "1.1;closed;true",
        "1.1;close-x;true",
        "1.0;'';false",
        "1.0;keep-alive;true",
        "1.0;Keep-Alive;true",
        "1.0;close, keep-alive;false",
        "1.0;keep-alives;false",
        "1.0;,,keep-alive,;true",
        "1.0;upgrade;false",
        "1.2;'';true"
      })
  void persistence(String version, String connection, boolean keepAlive) {
    Parsed parsed =
        Parsed.of(Bytes.head("GET / HTTP/" + version, "Host: h", "Connection: " + connection));
    assertThat(parsed.request.keepAlive()).isEqualTo(keepAlive);
  }

  @Test
  void connectionLinesAddUp() {
    HttpRequest request =
        Parsed.ofLines("Connection: keep-alive", "Connection: upgrade, close", "Upgrade: h2c")
            .request;
    assertThat(request.keepAlive()).isFalse();
    assertThat(request.upgradeOffered()).isTrue();
    assertThat(Parsed.ofLines("Upgrade: h2c").request.upgradeOffered()).isFalse();
  }

  @Test
  void expectations() {
    String body = "Content-Length: 1";
    assertThat(Parsed.ofLines("Expect: 100-Continue", body).request.expectsContinue()).isTrue();
    assertThat(Parsed.ofLines("Expect: 100-continue").request.expectsContinue()).isFalse();
    assertThat(Parsed.ofLines("Expect: 100-continue").request.hasUnknownExpectation()).isFalse();
    assertThat(Parsed.ofLines("Expect: 200-ok", body).request.hasUnknownExpectation()).isTrue();
    assertThat(Parsed.ofLines("Expect: 100-continue", "Expect: x").request.hasUnknownExpectation())
        .isTrue();
    HttpRequest old = Parsed.of(Bytes.head("GET / HTTP/1.0", "Expect: 100-continue", body)).request;
    assertThat(old.expectsContinue()).isFalse();
    assertThat(old.hasUnknownExpectation()).isFalse();
  }
}
