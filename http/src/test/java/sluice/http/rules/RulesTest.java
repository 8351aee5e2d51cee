package sluice.http.rules;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.reply.ReplyGuard;

final class RulesTest {
  @ParameterizedTest
  @CsvSource({
    "/a, /a, true",
    "/a, /a/, false",
    "/a, /ab, false",
    "/a/*, /a/b/c, true",
    "/a/*, /a/, true",
    "/a/*, /a, true",
    "/a/*, /ab, false",
    "/*, /, true",
    "*, /x/y, true",
    "*.html, /x/y.html, true",
    "*.html, /x/y.htm, false",
    "/a/*.html, /a/b/c.html, true",
    "/a/*.html, /a/.htm, false",
    "/a*a, /a, false",
  })
  void patterns(String pattern, String path, boolean fits) {
    assertThat(PathPattern.of(pattern).fits(path)).isEqualTo(fits);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "/a//b", "/a/../b", "/a%20b", "/*/*", "/a/./b", "//a", "/a\\b"})
  void whatFitsNoCanonicalPathIsNoPattern(String pattern) {
    assertThatThrownBy(() -> PathPattern.of(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + pattern + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "/old, /new, /old, /new",
    "/old/*, /new/*, /old/a/b, /new/a/b",
    "/old/*, /new/*, /old, /new/",
    "/old/*, https://example.com/*, /old/ä b, https://example.com/%C3%A4%20b",
    "/old*, /*, /old/evil.example, /evil.example",
    "/old*, /*, /old//evil.example, //evil.example",
    "*.htm, *.html, /a.htm, ",
    "/r/*, /to?*, /r/a&b#c, /to?a%26b%23c",
  })
  void redirects(String from, String to, String path, String target) {
    if (target == null) {
      assertThatThrownBy(() -> new RedirectRule(PathPattern.of(from), to, 301))
          .isInstanceOf(IllegalArgumentException.class);
    } else if (!path.contains("//")) { // which is never asked: paths are canonical
      assertThat(new RedirectRule(PathPattern.of(from), to, 301).target(path)).isEqualTo(target);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/*, /maintenance.html",
    "/a/*, /a/*",
    "/a/*, /a/b/*",
    "/a/*, /a",
    "/a, /a?x=1",
    "/a, /a#x",
    "/a, /%61",
    "/a, /b/../a",
    "*.htm, /x.htm",
  })
  void aRedirectInACircleIsRefused(String from, String to) {
    RedirectRule circle = new RedirectRule(PathPattern.of(from), to, 301);
    assertThatThrownBy(() -> SiteRules.NONE.withRedirects(List.of(circle)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("circle")
        .hasMessageContaining(from)
        .hasMessageContaining(to);
    RedirectRule out = new RedirectRule(PathPattern.of("*"), "https://example.com/*", 301);
    assertThat(SiteRules.NONE.withRedirects(List.of(out, circle)).redirects()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"/old*, /*", "/a, /a/", "/a, /A", "/a/*, /b/a/*", "/a/*, https://a.example/a/*"})
  void oneThatLeadsElsewhereIsNone(String from, String to) {
    RedirectRule rule = new RedirectRule(PathPattern.of(from), to, 301);
    assertThat(SiteRules.NONE.withRedirects(List.of(rule)).redirects()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example/*",
        "/\\evil.example",
        "https://example.com*",
        "https://user@example.com/",
        "https:///x",
        "javascript:alert(1)",
        "ftp://example.com/",
        "/a b",
        "/a\r\nSet-Cookie: a=b",
        "/*/*",
      })
  void redirectsThatCouldLeadElsewhereAreRefused(String to) {
    PathPattern from = PathPattern.of("/old/*");
    assertThatThrownBy(() -> new RedirectRule(from, to, 301))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redirect");
  }

  @Test
  void theLastRuleOfANameCountsAndEmptyTakesItAway() {
    SiteRules rules =
        SiteRules.NONE.withHeaders(
            List.of(
                header("/*", "X-Frame-Options", "DENY"),
                header("/*", "Cache-Control", "no-cache"),
                header("/a/*", "x-frame-options", "SAMEORIGIN"),
                header("/a/open", "X-Frame-Options", ""),
                header("/assets/*", "cache-control", "max-age=9")));
    assertThat(text(rules.fields("/x"))).isEqualTo("X-Frame-Options: DENY\r\n");
    assertThat(text(rules.fields("/a/x"))).isEqualTo("x-frame-options: SAMEORIGIN\r\n");
    assertThat(text(rules.fields("/a/open"))).isEmpty();
    assertThat(text(rules.fieldsOfFile(List.of("/assets/a"))))
        .isEqualTo("X-Frame-Options: DENY\r\ncache-control: max-age=9\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "Content-Length, 1",
    "Content-Type, text/html",
    "ETag, x",
    "connection, close",
    "'X Y', 1",
    "X, 'a\r\nSet-Cookie: b=c'",
    "X, 'a\u0100'",
  })
  void fieldsThatWouldBreakARepliedAreRefused(String name, String value) {
    assertThatThrownBy(() -> header("/*", name, value))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static HeaderRule header(String path, String name, String value) {
    return new HeaderRule(PathPattern.of(path), Map.of(name, value));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.1.2, true",
    "10.0.0.0/8, 11.0.0.1, false",
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7, 192.0.2.6, false",
    "0.0.0.0/0, 1.2.3.4, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "2001:db8::/32, 2001:db8:1::1, true",
    "2001:db8::/32, 2001:db9::1, false",
    "2001:db8::/65, 2001:db8:0:0:8000::1, false",
    "::1, ::1, true",
    "all, 9.9.9.9, true",
    "::ffff:10.0.0.1, 10.0.0.1, true",
  })
  void addresses(String range, String address, boolean has) {
    AddressRange one = AddressRange.of(address);
    assertThat(AddressRange.of(range).has(one.high(), one.low())).isEqualTo(has);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "10.0.0.0/33",
        "10/8",
        "10.0.0",
        "::1/129",
        "1.2.3.4/x",
        "1.2.3.256"
      })
  void noAddresses(String text) {
    assertThatThrownBy(() -> AddressRange.of(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aGuardOfADirectoryHasAllBelowAndPrecompressedFiles() {
    AccessRule rule =
        new AccessRule(
            PathPattern.of("/admin"), List.of(AddressRange.of("10.0.0.1")), List.of(), null);
    AccessRule file =
        new AccessRule(PathPattern.of("/s.html"), List.of(), List.of(AddressRange.of("all")), null);
    SiteRules rules = SiteRules.NONE.withAccess(List.of(rule, file));
    for (String path : List.of("/admin", "/admin/", "/admin/x/y", "/admin.gz", "/s.html.zst")) {
      assertThat(rules.guard(path)).as(path).isNotNull();
    }
    assertThat(rules.guard("/adminx")).isNull();
    assertThat(rules.guardOfFile(List.of("/s", "/s.html"), List::of)).isNotNull();
    ReplyGuard guard = Objects.requireNonNull(rules.guard("/admin/x"));
    AddressRange in = AddressRange.of("10.0.0.1");
    assertThat(guard.verdict(in.high(), in.low(), null).status()).isZero();
    assertThat(guard.verdict(0, 0, null).status()).isEqualTo(403);
  }

  @Test
  void passwordsAreRememberedOnlyWhenTheyWereRight() {
    int[] asked = {0};
    SignIn signIn =
        new SignIn(
            "staff",
            (user, password) -> {
              asked[0]++;
              return user.equals("ann") && password.equals("säsam");
            });
    byte[] right = basic("ann:säsam");
    byte[] wrong = basic("ann:sesame");
    assertThat(signIn.knows(right)).isFalse();
    signIn.check(right);
    signIn.check(right);
    signIn.check(wrong);
    assertThat(signIn.knows(right)).isTrue();
    assertThat(signIn.knows(wrong)).isFalse();
    assertThat(asked[0]).isEqualTo(2);
    for (String none : List.of("Bearer x", "Basic", "Basic !!!", "Basic YW5u", "")) {
      signIn.check(none.getBytes(ISO_8859_1));
      assertThat(signIn.knows(none.getBytes(ISO_8859_1))).as(none).isFalse();
    }
    assertThat(asked[0]).isEqualTo(2);
    assertThatThrownBy(() -> new SignIn("a\"b", (u, p) -> true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] basic(String pair) {
    byte[] bytes = pair.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    return ("Basic " + java.util.Base64.getEncoder().encodeToString(bytes)).getBytes(ISO_8859_1);
  }
}
