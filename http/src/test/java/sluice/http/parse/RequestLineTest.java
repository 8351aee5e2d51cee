package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// RFC 9112 sections 2.2 and 3.
class RequestLineTest {
  private static Parsed line(String line) {
    return Parsed.of(line + "\r\nHost: h\r\n\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "GET,GET", "HEAD,HEAD", "POST,POST", "PUT,PUT", "DELETE,DELETE", "PATCH,PATCH",
    "OPTIONS,OPTIONS", "TRACE,TRACE", "get,OTHER", "GETT,OTHER", "GE,OTHER", "PROPFIND,OTHER",
    "PUTS,OTHER", "M-SEARCH,OTHER", "x!#$%&'*+.^_`|~,OTHER", "CONNECTED,OTHER", "OPTIONZ,OTHER"
  })
  void methods(String method, HttpMethod expected) {
    Parsed parsed = line(method + " /a HTTP/1.1");
    assertThat(parsed.result).isPositive();
    assertThat(parsed.request.method()).isEqualTo(expected);
    assertThat(parsed.method()).isEqualTo(method);
    assertThat(parsed.target()).isEqualTo("/a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " GET / HTTP/1.1",
        "GET  / HTTP/1.1",
        "GET /  HTTP/1.1",
        "GET / HTTP/1.1 ",
        "GET\t/ HTTP/1.1",
        "GET /\tHTTP/1.1",
        "GET / HTTP/1.1\t",
        "GET /",
        "GET / ",
        "GET",
        "GET /a b HTTP/1.1",
        "G(T / HTTP/1.1",
        "G\u00c9T / HTTP/1.1",
        "GET / http/1.1",
        "GET / HTTP /1.1",
        "GET / HTTP/1.10",
        "GET / HTTP/11",
        "GET / HTTP/1,1",
        "GET / HTTP/1.",
        "GET / HTTP/.1",
        "GET / HTTP/1.x",
        "GET / HTTP/2",
        "GET / HTTPS/1.1",
        "GET / HTTP-1.1",
        "GET HTTP/1.1",
        "GET / HTTP/1.1\r",
        "GET / HTTP/1.1\n",
        "GET /\u0000 HTTP/1.1",
        "GET /\u007f HTTP/1.1",
        "GET /\u00e9 HTTP/1.1",
        "GET /# HTTP/1.1",
        "GET /<a> HTTP/1.1",
        "GET /\" HTTP/1.1",
        "GET a HTTP/1.1",
        "GET ?a HTTP/1.1",
        "GET * HTTP/1.1",
        "OPTIONS ** HTTP/1.1",
        "OPTIONS *?a HTTP/1.1",
        "GET host:80 HTTP/1.1",
        "GET http:// HTTP/1.1",
        "GET http:///a HTTP/1.1",
        "GET http://:80/a HTTP/1.1",
        "GET http://u@h/a HTTP/1.1",
        "GET http://h:65536/a HTTP/1.1",
        "GET http://h:8o/a HTTP/1.1",
        "GET http:/h/a HTTP/1.1",
        "GET ftp://h/a HTTP/1.1",
        "GET file:///etc/passwd HTTP/1.1",
        "CONNECT / HTTP/1.1",
        "CONNECT h HTTP/1.1",
        "CONNECT h: HTTP/1.1",
        "CONNECT :80 HTTP/1.1",
        "CONNECT h:80/ HTTP/1.1",
        "CONNECT http://h:80 HTTP/1.1",
        "CONNECT h:80?a HTTP/1.1",
        "CONNECT u@h:80 HTTP/1.1",
        "CONNECT [::1] HTTP/1.1",
        "CONNECT [::]80 HTTP/1.1"
      })
  void badRequests(String line) {
    assertThat(line(line).result).isEqualTo(HttpParser.BAD_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/0.9",
        "GET / HTTP/2.0",
        "GET / HTTP/3.0",
        "GET / HTTP/9.1",
        "PRI * HTTP/2.0"
      })
  void otherVersions(String line) {
    assertThat(line(line).result).isEqualTo(HttpParser.VERSION_NOT_SUPPORTED);
  }

  @ParameterizedTest
  @CsvSource({"HTTP/1.1,1", "HTTP/1.0,0", "HTTP/1.2,1", "HTTP/1.9,1"})
  void versionOne(String version, int minor) {
    Parsed parsed = line("GET / " + version);
    assertThat(parsed.result).isPositive();
    assertThat(parsed.request.minorVersion()).isEqualTo(minor);
  }

  @ParameterizedTest
  @CsvSource({
    "/,/,''",
    "/a/b.html,/a/b.html,''",
    "/?,/,''",
    "/a?b=c&d,/a,b=c&d",
    "/a?b?c,/a,b?c",
    "//a,//a,''",
    "/12345678?x,/12345678,x",
    "/1234567?x,/1234567,x",
    "/123456?x,/123456,x",
    "/[]{}|\\^`!$&'()*+,/[]{}|\\^`!$&'()*+,''",
    "/%zz,/%zz,''",
    "/a:b@c;d=e,/a:b@c;d=e,''"
  })
  void originForm(String target, String path, String query) {
    Parsed parsed = line("GET " + target + " HTTP/1.1");
    assertThat(parsed.result).isPositive();
    assertThat(parsed.request.targetForm()).isEqualTo(TargetForm.ORIGIN);
    assertThat(parsed.target()).isEqualTo(target);
    assertThat(parsed.path()).isEqualTo(path);
    assertThat(parsed.query()).isEqualTo(query);
    assertThat(parsed.request.hasQuery()).isEqualTo(target.contains("?"));
    assertThat(parsed.host()).isEqualTo("h");
  }

  @ParameterizedTest
  @CsvSource({
    "http://x/a?b,x,/a,b",
    "HTTP://x:80/,x:80,/,''",
    "https://x,x,'',''",
    "http://x?q,x,'',q",
    "hTTpS://[::1]:8080/a,[::1]:8080,/a,''",
    "http://a.b/http://c/?/,a.b,/http://c/,/"
  })
  void absoluteForm(String target, String host, String path, String query) {
    Parsed parsed = line("GET " + target + " HTTP/1.1");
    assertThat(parsed.result).isPositive();
    assertThat(parsed.request.targetForm()).isEqualTo(TargetForm.ABSOLUTE);
    assertThat(parsed.host()).isEqualTo(host);
    assertThat(parsed.path()).isEqualTo(path);
    assertThat(parsed.query()).isEqualTo(query);
  }

  @Test
  void asteriskAndAuthorityForm() {
    Parsed asterisk = line("OPTIONS * HTTP/1.1");
    assertThat(asterisk.request.targetForm()).isEqualTo(TargetForm.ASTERISK);
    assertThat(asterisk.result).isPositive();
    Parsed authority = line("CONNECT [1::2]:443 HTTP/1.1");
    assertThat(authority.request.targetForm()).isEqualTo(TargetForm.AUTHORITY);
    assertThat(authority.result).isPositive();
    assertThat(authority.host()).isEqualTo("[1::2]:443");
  }

  @Test
  void oneEmptyLineBeforeIsForgiven() {
    Parsed parsed = Parsed.of("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\nX");
    assertThat(parsed.result).isEqualTo(2 + 16 + 9 + 2);
    assertThat(parsed.request.headLength()).isEqualTo(parsed.result);
    assertThat(Parsed.of("\r\n\r\nGET / HTTP/1.1\r\n").result).isEqualTo(-400);
    assertThat(Parsed.of("\nGET / HTTP/1.1\r\n").result).isEqualTo(-400);
    assertThat(Parsed.of("\r").result).isZero();
    assertThat(Parsed.of("\rG").result).isEqualTo(-400);
    assertThat(Parsed.of("").result).isZero();
  }

  @Test
  void targetLimit() {
    String fits = "/" + "a".repeat(8191);
    assertThat(line("GET " + fits + " HTTP/1.1").result).isPositive();
    assertThat(line("GET " + fits + "b HTTP/1.1").result).isEqualTo(HttpParser.URI_TOO_LONG);
    assertThat(Parsed.of("GET " + fits + "b").result).isEqualTo(HttpParser.URI_TOO_LONG);
    assertThat(Parsed.of("GET " + fits).result).isZero();
    assertThat(line("GET " + fits + "#").result).isEqualTo(-400);
  }

  @Test
  void methodLimit() {
    String fits = "M".repeat(32);
    assertThat(line(fits + " / HTTP/1.1").result).isPositive();
    assertThat(line(fits + "M / HTTP/1.1").result).isEqualTo(HttpParser.NOT_IMPLEMENTED);
  }

  @Test
  void headLimit() {
    String start = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
    int room = (16 << 10) - start.length() - 4;
    assertThat(Parsed.of(start + "v".repeat(room) + "\r\n\r\n").result).isEqualTo(16 << 10);
    assertThat(Parsed.of(start + "v".repeat(room + 1) + "\r\n\r\n").result)
        .isEqualTo(HttpParser.HEAD_TOO_LARGE);
    assertThat(Parsed.of(start + "v".repeat(room + 4)).result).isEqualTo(HttpParser.HEAD_TOO_LARGE);
    assertThat(Parsed.of(start + "v".repeat(room + 3)).result).isZero();
  }

  @Test
  void otherProtocolsAreRefusedAtOnce() {
    assertThat(Parsed.of("\u0016\u0003\u0001").result).isEqualTo(-400);
    assertThat(Parsed.of("SSH-2.0-OpenSSH_9.9\r\n").result).isEqualTo(-400);
    assertThat(Parsed.of("GET /\r\n").result).isEqualTo(-400);
  }
}
