package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.text.Utf8;
import sluice.memory.View;

/// RFC 3986 sections 2.1 and 5.2.4, and what a server of files adds.
class RequestPathTest {
  private static String parse(String path) {
    RequestPath parsed = new RequestPath(64 << 10);
    View view = Bytes.view(path);
    int result = parsed.parse(view, 0, view.length());
    if (result < 0) {
      return Integer.toString(result);
    }
    assertThat(result).isEqualTo(parsed.length());
    return parsed.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "'',/",
    "/,/",
    "/a,/a",
    "/a/,/a/",
    "/a/b.html,/a/b.html",
    "/.,/",
    "/./,/",
    "/a/.,/a/",
    "/a/..,/",
    "/a/../,/",
    "/a/b/..,/a/",
    "/a/b/../c,/a/c",
    "/a/./b/./c,/a/b/c",
    "/a/b/c/./../../g,/a/g",
    "/mid/content=5/../6,/mid/6",
    "/a/../b/../c,/c",
    "/%61,/a",
    "/%2e,/",
    "/a/%2E%2e/b,/b",
    "/a/.%2e,/",
    "/...,/...",
    "/..a,/..a",
    "/a..,/a..",
    "/a%20b,/a b",
    "/%25,/%",
    "/%252e%252e/,/%2e%2e/",
    "/%C3%A9,/\u00e9",
    "/%e2%82%ac,/\u20ac",
    "/%F0%9F%98%80,/\uD83D\uDE00",
    "/%3F%23,/?#",
    "/a;b=c,/a;b=c",
    "/~user/+,/~user/+",
    "/a/%2e%2e%2e,/a/..."
  })
  void canonical(String path, String expected) {
    assertThat(parse(path)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/..",
        "/../",
        "/../a",
        "/a/../..",
        "/%2e%2e",
        "/%2e./a",
        "/a/b/../../../c",
        "/./..",
        "/%",
        "/%2",
        "/%zz",
        "/%2g",
        "/%g2",
        "/a%",
        "/%%41",
        "/%u0041",
        "/%00",
        "/a%00.html",
        "/%0a",
        "/%0D%0a",
        "/%1f",
        "/%7f",
        "/%80",
        "/%ff",
        "/%c0%af",
        "/%c0%ae%c0%ae/",
        "/%e0%80%af",
        "/%c3",
        "/%c3/a",
        "/%c3a%a9",
        "/%ed%a0%80",
        "/%f4%90%80%80",
        "/%f5%80%80%80",
        "/%f0%80%80%80",
        "/%e2%82",
        "a",
        "a/b",
        "*",
        "\\",
        "/%c3/%a9"
      })
  void badRequests(String path) {
    assertThat(parse(path)).isEqualTo("-400");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a%2fb",
        "/a%2Fb",
        "/..%2f",
        "/%2f",
        "/..%2f..%2fetc/passwd",
        "/..%5c",
        "/a\\b",
        "/\\",
        "/%5C",
        "/..\\..\\a",
        "//\\",
        "/a//%2fb"
      })
  void notFound(String path) {
    assertThat(parse(path)).isEqualTo("-404");
  }

  @ParameterizedTest
  @CsvSource({
    "//, /",
    "///, /",
    "//a, /a",
    "/a//b, /a/b",
    "/a////b, /a/b",
    "/a//, /a/",
    "/a//.., /",
    "/a//../b, /b",
    "/a/..//b, /b",
    "/.//a, /a",
    "//./a, /a",
    "//.., -400",
    "/a//../.., -400",
    "//%2e%2e/a, -400",
    "//%61//%62, /a/b",
  })
  void slashesInARowAreOne(String path, String canonical) {
    assertThat(parse(path)).isEqualTo(canonical);
  }

  @Test
  void ofRequest() {
    RequestPath path = new RequestPath(100);
    path.parse(Parsed.of(Bytes.head("GET http://h?a/b HTTP/1.1", "Host: h")).request);
    assertThat(path).hasToString("/");
    path.parse(Parsed.of(Bytes.head("GET http://h/%61?b HTTP/1.1", "Host: h")).request);
    assertThat(path).hasToString("/a");
  }

  @Test
  void longestPathFits() {
    String longest = "/" + "a".repeat(8191);
    assertThat(parse(longest)).isEqualTo(longest);
  }

  /// No result leaves the root, has a dot segment or an empty one, or changes when it is encoded
  /// and parsed once more; and UTF-8 is judged as the JDK does.
  @Test
  void mutantsStayBelowTheRoot() {
    String[] pieces = {
      "/",
      "/",
      ".",
      "..",
      "%2e",
      "%2F",
      "%5c",
      "a",
      "%C3%A9",
      "%e2",
      "%82",
      "%ac",
      "%00",
      "%41",
      "%f0%9f%98%80",
      "\\",
      "%",
      ";",
      "%ed%a0%80"
    };
    for (int seed = 0; seed < 50_000; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder("/");
      for (int n = random.nextInt(9); n > 0; n--) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      String result = parse(text.toString());
      if (result.startsWith("-")) {
        continue;
      }
      assertCanonical(result);
    }
  }

  static void assertCanonical(String path) {
    assertThat(path).startsWith("/").doesNotContain("//", "\\", "\u0000");
    for (String segment : path.split("/", -1)) {
      assertThat(segment).isNotIn(".", "..");
    }
    StringBuilder encoded = new StringBuilder();
    for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
      encoded.append(b == '/' ? "/" : "%%%02x".formatted(b & 0xff));
    }
    assertThat(parse(encoded.toString())).isEqualTo(path);
  }

  @Test
  void utf8AsTheJdkDoes() {
    Random random = new Random(3);
    int[] leads = {0x41, 0x80, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf4, 0xf5};
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(5)];
      random.nextBytes(bytes);
      bytes[0] = (byte) leads[random.nextInt(leads.length)];
      for (int k = 1; k < bytes.length; k++) {
        bytes[k] = random.nextInt(4) > 0 ? (byte) (0x80 | (bytes[k] & 0x3f)) : bytes[k];
      }
      assertThat(Utf8.valid(bytes, 0, bytes.length)).as("%s", bytes).isEqualTo(jdkAccepts(bytes));
    }
  }

  private static boolean jdkAccepts(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
