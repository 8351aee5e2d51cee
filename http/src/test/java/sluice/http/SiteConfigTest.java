package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.handlers.Route;
import sluice.http.rules.AccessRule;
import sluice.http.rules.AddressRange;
import sluice.http.rules.HeaderRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.RedirectRule;
import sluice.http.rules.SignIn;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;

/// Rules by path and hosts by name, as clients see them; and clients that try to get round them.
/// Each request is sent twice: the second is answered by the reply that is kept ready.
@Timeout(240)
final class SiteConfigTest extends HttpContractRig {
  private static final AddressRange ALL = AddressRange.of("all");

  private final CounterPublisher counters = new CounterPublisher(Counters.inMemory());

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  private static HeaderRule header(String path, String name, String value) {
    return new HeaderRule(PathPattern.of(path), Map.of(name, value));
  }

  private static AccessRule denied(String path) {
    return new AccessRule(PathPattern.of(path), List.of(), List.of(ALL), null);
  }

  private void start(Site site, SiteRules rules) throws IOException {
    start(site, config -> config.withRules(rules));
  }

  private HttpAnswer ask(String method, String target, String... fields) throws IOException {
    try (HttpPeer peer = connect()) {
      HttpAnswer first = peer.request(method, target, fields);
      if (first.closes()) {
        return first;
      }
      HttpAnswer second = peer.request(method, target, fields);
      assertThat(second.status()).isEqualTo(first.status());
      // A file of the last second has no date yet, and may have one by the second request.
      assertThat(undated(second)).isEqualTo(undated(first));
      assertThat(second.body()).isEqualTo(first.body());
      return second;
    }
  }

  private static List<String> undated(HttpAnswer answer) {
    return answer.lastingFields().stream()
        .filter(line -> !line.startsWith("Last-Modified: "))
        .toList();
  }

  private HttpAnswer host(String host, String target) throws IOException {
    try (HttpPeer peer = connect()) {
      for (int round = 0; round < 2; round++) {
        peer.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        HttpAnswer answer = peer.read();
        if (round == 1 || answer.closes()) {
          return answer;
        }
      }
    }
    throw new AssertionError("two rounds");
  }

  @Test
  void everyReplyOfAPathHasItsFields() throws Exception {
    write("assets/a.txt", "content of a");
    write("p.html", "<p>page</p>".repeat(200));
    Files.createDirectory(root.resolve("empty"));
    SiteRules rules =
        SiteRules.NONE
            .withHeaders(
                List.of(
                    header("/*", "Strict-Transport-Security", "max-age=9"),
                    header("/assets/*", "Cache-Control", "public, immutable"),
                    header("*.html", "Content-Security-Policy", "default-src 'self'"),
                    header("/assets/*", "Access-Control-Allow-Origin", "*")))
            .withRedirects(List.of(new RedirectRule(PathPattern.of("/old"), "/new", 302)));
    start(Site.of(root), rules);
    HttpAnswer file = ask("GET", "/assets/a.txt");
    assertThat(file.status()).isEqualTo(200);
    String tag = file.the("ETag");
    String[][] asked = {
      {"GET", "200", ""},
      {"HEAD", "200", ""},
      {"GET", "304", "If-None-Match: " + tag},
      {"GET", "206", "Range: bytes=1-2"},
      {"GET", "206", "Range: bytes=1-2,4-5"},
      {"GET", "416", "Range: bytes=100-"},
      {"GET", "412", "If-Match: \"x\""},
      {"OPTIONS", "204", "Origin: https://x.example"},
      {"POST", "405", "Content-Length: 0"},
      {"BREW", "501", "X: y"},
    };
    for (String[] each : asked) {
      String[] fields = each[2].isEmpty() ? new String[0] : new String[] {each[2]};
      HttpAnswer answer = ask(each[0], "/assets/a.txt", fields);
      String what = String.join(" ", each);
      assertThat(answer.status()).as(what).isEqualTo(Integer.parseInt(each[1]));
      assertThat(answer.the("Strict-Transport-Security")).as(what).isEqualTo("max-age=9");
      assertThat(answer.the("Access-Control-Allow-Origin")).as(what).isEqualTo("*");
      boolean ofTheFile = answer.status() < 400 && answer.status() != 204;
      assertThat(answer.field("Cache-Control"))
          .as(what)
          .isEqualTo(ofTheFile ? "public, immutable" : null);
    }
    for (String other : List.of("/none", "/empty/", "/empty", "/old", "/.git")) {
      HttpAnswer answer = ask("GET", other);
      assertThat(answer.the("Strict-Transport-Security")).as(other).isEqualTo("max-age=9");
      assertThat(answer.field("Cache-Control")).as(other).isNull();
    }
    assertThat(ask("GET", "/").the("Content-Security-Policy")).isEqualTo("default-src 'self'");
    HttpAnswer packed = ask("GET", "/p.html", "Accept-Encoding: gzip");
    assertThat(packed.the("Content-Encoding")).isEqualTo("gzip");
    assertThat(packed.the("Vary")).isEqualTo("Accept-Encoding");
    assertThat(packed.the("Content-Security-Policy")).isEqualTo("default-src 'self'");
  }

  @Test
  void redirectsTakeTheQueryAndNoSpellingGetsRoundThem() throws Exception {
    write("old/a.txt", "never seen");
    SiteRules rules =
        SiteRules.NONE.withRedirects(
            List.of(
                new RedirectRule(PathPattern.of("/old/*"), "/new/*", 301),
                new RedirectRule(PathPattern.of("/shop"), "https://shop.example/?from=here", 308),
                new RedirectRule(PathPattern.of("/open*"), "/*", 307)));
    start(Site.of(root), rules);
    for (String path :
        List.of(
            "/old/a.txt",
            "//old/a.txt",
            "/old//a.txt",
            "/%6fld/a.txt",
            "/x/../old/a.txt",
            "/x/%2e%2e/old/./a.txt",
            "/old/%61.txt")) {
      HttpAnswer answer = ask("GET", path + "?q=1&r");
      assertThat(answer.status()).as(path).isEqualTo(301);
      assertThat(answer.the("Location")).as(path).isEqualTo("/new/a.txt?q=1&r");
      assertThat(answer.contentLength()).isZero();
    }
    HttpAnswer shop = ask("HEAD", "/shop?x");
    assertThat(shop.status()).isEqualTo(308);
    assertThat(shop.the("Location")).isEqualTo("https://shop.example/?from=here");
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      for (int i = 0; i < 2; i++) { // made, then kept
        HttpAnswer moved = ask(method, "/shop", "Content-Length: 0");
        assertThat(moved.status()).as(method).isEqualTo(308);
        assertThat(moved.the("Location")).isEqualTo("https://shop.example/?from=here");
      }
      assertThat(ask(method, "/a.txt", "Content-Length: 0").status()).as(method).isEqualTo(405);
    }
    try (HttpPeer peer = connect()) {
      peer.send("POST /old/b HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc");
      assertThat(peer.read().the("Location")).isEqualTo("/new/b");
      assertThat(peer.get("/a.txt").text()).as("its body was skipped").isEqualTo("alpha");
    }
    for (String path :
        List.of("/open//evil.example", "/open/%2fevil.example", "/open/evil.example")) {
      HttpAnswer answer = ask("GET", path);
      assertThat(answer.field("Location")).as(path).isIn(null, "/evil.example");
    }
  }

  @Test
  void filesStandForPathsThatLeadToNothing() throws Exception {
    write("about.html", "about");
    write("app.html", "app");
    write("docs/index.html", "docs");
    write("assets/a.js", "1");
    SiteRules rules =
        SiteRules.NONE.withHeaders(
            List.of(
                header("/assets/*", "Cache-Control", "immutable"),
                header("/app.html", "Cache-Control", "no-cache")));
    start(Site.of(root).withTries(List.of("{path}.html", "/app.html")), rules);
    assertThat(ask("GET", "/about").text()).isEqualTo("about");
    assertThat(ask("GET", "/about").the("Content-Type")).startsWith("text/html");
    assertThat(ask("GET", "/docs/").text()).isEqualTo("docs");
    assertThat(ask("GET", "/docs").status()).isEqualTo(301);
    HttpAnswer stand = ask("GET", "/assets/missing.js");
    assertThat(stand.text()).isEqualTo("app");
    assertThat(stand.the("Cache-Control")).as("not that of what is missing").isEqualTo("no-cache");
    assertThat(ask("GET", "/assets/a.js").the("Cache-Control")).isEqualTo("immutable");
    assertThat(ask("GET", "/deep/link/?q").text()).isEqualTo("app");
    assertThat(ask("GET", "/.env").status()).as("hidden").isEqualTo(403);
    assertThat(ask("GET", "/assets/missing.js", "If-None-Match: " + stand.the("ETag")).status())
        .isEqualTo(304);
    // what appears later is seen, also where it comes earlier in the row
    write("deep/link.html", "here");
    assertThat(ask("GET", "/deep/link").text()).isEqualTo("here");
    write("assets/missing.js", "2");
    assertThat(ask("GET", "/assets/missing.js").text()).isEqualTo("2");
    Files.delete(root.resolve("about.html"));
    assertThat(ask("GET", "/about").text()).isEqualTo("app");
  }

  @Test
  void typesAndErrorPagesOfASite() throws Exception {
    write("a.md", "# a");
    write("e/404.html", "<p>not here</p>");
    start(
        Site.of(root)
            .withTypes(Map.of("md", "text/markdown; charset=utf-8"))
            .withErrorPages(Map.of(404, "/e/404.html")),
        config -> config);
    assertThat(ask("GET", "/a.md").the("Content-Type")).isEqualTo("text/markdown; charset=utf-8");
    assertThat(ask("GET", "/none").text()).isEqualTo("<p>not here</p>");
    assertThat(ask("HEAD", "/none").contentLength()).isEqualTo(15);
    assertThatThrownBy(() -> Site.of(root).withTypes(Map.of("md", "a/b\r\nX: y")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Site.of(root).withTries(List.of("../x")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/admin/secret.html",
        "//admin/secret.html",
        "/admin//secret.html",
        "/%61dmin/secret.html",
        "/admin/%73ecret.html",
        "/./admin/secret.html",
        "/x/../admin/secret.html",
        "/x/%2e%2e/admin/secret.html",
        "/admin/./secret.html",
        "/admin/x/../secret.html",
        "/admin/secret",
        "/admin/secret.html?x",
        "/admin/secret.html.gz",
        "/admin/",
        "/admin",
        "/admin/none",
        "/clean",
        "/clean.html",
        "/dir/",
        "/dir/index.html",
        "/%64ir/%69ndex.html",
        "http://test/admin/secret.html",
        "http://TEST:80//admin/%2e/secret.html",
      })
  void noSpellingGetsRoundAnAccessRule(String target) throws Exception {
    write("admin/secret.html", "SECRET");
    write("admin/secret.html.gz", "SECRET");
    write("admin/index.html", "SECRET");
    write("clean.html", "SECRET");
    write("dir/index.html", "SECRET");
    SiteRules rules =
        SiteRules.NONE.withAccess(
            List.of(denied("/admin"), denied("/clean.html"), denied("/dir/index.html")));
    start(Site.of(root).withTries(List.of("{path}.html")), rules);
    for (String method : List.of("GET", "HEAD")) {
      HttpAnswer answer = ask(method, target);
      assertThat(answer.status()).as(target).isEqualTo(403);
      assertThat(answer.text()).doesNotContain("SECRET");
    }
    HttpAnswer part = ask("GET", target, "Range: bytes=0-3", "If-None-Match: *");
    assertThat(part.status()).isEqualTo(403);
    assertThat(ask("GET", "/a.txt").status()).isEqualTo(200);
  }

  @Test
  void handlersStandBehindAccessRulesToo() throws Exception {
    SiteRules rules = SiteRules.NONE.withAccess(List.of(denied("/api/private")));
    Route route =
        Route.at("/api")
            .withInterruptlet(() ->
                (request, reply) -> {
                  reply.status(200).text("handler");
                  return true;
                });
    start(Site.of(root), config -> config.withRules(rules).withRoutes(List.of(route)));
    assertThat(ask("GET", "/api/x").text()).isEqualTo("handler");
    for (String path : List.of("/api/private", "/api//private/x", "/%61pi/x/../private")) {
      assertThat(ask("GET", path).status()).as(path).isEqualTo(403);
      assertThat(ask("POST", path, "Content-Length: 0").status()).as(path).isEqualTo(403);
    }
    assertThat(ask("GET", "/api/private\\x").status()).isEqualTo(404);
    try (HttpPeer peer = connect()) {
      peer.send("POST /api/private HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc");
      assertThat(peer.read().status()).isEqualTo(403);
      assertThat(peer.get("/a.txt").text()).as("its body was skipped").isEqualTo("alpha");
    }
  }

  @Test
  void passwordsAreAskedForAndCheckedAwayFromTheLoop() throws Exception {
    write("staff/a.txt", "for staff");
    write("open.html", "open");
    SignIn signIn =
        new SignIn(
            "staff",
            (user, password) -> {
              assertThat(Thread.currentThread().isVirtual()).isTrue();
              return user.equals("ann") && password.equals("sesame");
            });
    AccessRule rule = new AccessRule(PathPattern.of("/staff/*"), List.of(), List.of(), signIn);
    start(Site.of(root), SiteRules.NONE.withAccess(List.of(rule)));
    HttpAnswer asked = ask("GET", "/staff/a.txt");
    assertThat(asked.status()).isEqualTo(401);
    assertThat(asked.the("WWW-Authenticate")).isEqualTo("Basic realm=\"staff\", charset=\"UTF-8\"");
    assertThat(ask("GET", "/staff/none").status()).as("what is there is not told").isEqualTo(401);
    assertThat(ask("GET", "/open.html").text()).isEqualTo("open");
    for (int round = 0; round < 3; round++) {
      assertThat(ask("GET", "/staff/a.txt", basic("ann:wrong")).status()).isEqualTo(401);
      assertThat(ask("GET", "/staff/a.txt", basic("ann:sesame")).text()).isEqualTo("for staff");
      assertThat(ask("GET", "/staff/a.txt", "Authorization: Bearer x").status()).isEqualTo(401);
      assertThat(ask("GET", "/staff/a.txt").status()).isEqualTo(401);
    }
    try (HttpPeer peer = connect()) {
      HttpAnswer twice = peer.get("/staff/a.txt", basic("ann:sesame"), basic("ann:wrong"));
      assertThat(twice.status()).isIn(400, 401);
    }
    try (HttpPeer peer = connect()) { // pipelined: each with its own answer
      peer.send(
          HttpPeer.text("GET", "/staff/a.txt", basic("ann:sesame"))
              + HttpPeer.text("GET", "/staff/a.txt")
              + HttpPeer.text("GET", "/staff/a.txt", basic("ann:sesame")));
      assertThat(peer.read().status()).isEqualTo(200);
      assertThat(peer.read().status()).isEqualTo(401);
      assertThat(peer.read().status()).isEqualTo(200);
    }
  }

  private static String basic(String pair) {
    byte[] bytes = pair.getBytes(StandardCharsets.UTF_8);
    return "Authorization: Basic " + Base64.getEncoder().encodeToString(bytes);
  }

  private Path hostDirectory(String name) throws IOException {
    Path made = Files.createDirectories(outside.resolve(name));
    Files.writeString(made.resolve("index.html"), name);
    Files.writeString(made.resolve("404.html"), "no page of " + name);
    return made;
  }

  private VirtualHost virtual(String directory, String... names) throws IOException {
    Site site = Site.of(hostDirectory(directory)).withErrorPages(Map.of(404, "404.html"));
    SiteRules rules = SiteRules.NONE.withHeaders(List.of(header("/*", "X-Site", directory)));
    return new VirtualHost(List.of(names), site, rules);
  }

  @Test
  void hostsByNameInEverySpelling() throws Exception {
    List<VirtualHost> hosts =
        List.of(
            virtual("one", "one.example", "www.one.example"),
            virtual("wild", "*.example"),
            virtual("deep", "*.deep.example"),
            virtual("six", "[::1]"));
    start(Site.of(root), config -> config.withHosts(hosts, false));
    for (String name :
        List.of(
            "one.example",
            "ONE.Example",
            "one.example:80",
            "one.example.",
            "One.example.:8443",
            "one.example:")) {
      HttpAnswer answer = host(name, "/");
      assertThat(answer.text()).as(name).isEqualTo("one");
      assertThat(answer.the("X-Site")).isEqualTo("one");
      assertThat(host(name, "/none").text()).isEqualTo("no page of one");
    }
    assertThat(host("two.example", "/").text()).isEqualTo("wild");
    assertThat(host("a.b.example", "/").text()).isEqualTo("wild");
    assertThat(host("a.deep.example", "/").text()).isEqualTo("deep");
    assertThat(host("deep.example", "/").text()).isEqualTo("wild");
    assertThat(host("[::1]:8080", "/").text()).isEqualTo("six");
    for (String name : List.of("example", "one.example.org", "test", "x".repeat(300), "[::2]")) {
      assertThat(host(name, "/").text()).as(name).isEqualTo("<p>home</p>");
      assertThat(host(name, "/none").text()).contains("404 Not Found");
    }
    assertThat(host("test", "http://ONE.example:80/").text())
        .as("absolute form comes before Host")
        .isEqualTo("one");
    try (HttpPeer peer = connect()) { // hosts change on one connection, pipelined
      StringBuilder all = new StringBuilder();
      List<String> names =
          List.of("one.example", "two.example", "test", "ONE.example", "one.example");
      names.forEach(name -> all.append("GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n"));
      peer.send(all.toString());
      for (String body : List.of("one", "wild", "<p>home</p>", "one", "one")) {
        assertThat(peer.read().text()).isEqualTo(body);
      }
    }
  }

  @Test
  void namesThatNoHostHasAreRefusedIfOnlyNamedOnesAreServed() throws Exception {
    List<VirtualHost> hosts = List.of(virtual("one", "one.example"));
    start(Site.of(root), config -> config.withHosts(hosts, true));
    assertThat(host("one.example", "/").text()).isEqualTo("one");
    assertThat(host("two.example", "/").status()).isEqualTo(421);
    assertThat(host("two.example", "/a.txt").status()).isEqualTo(421);
    try (HttpPeer peer = connect()) {
      peer.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(peer.read().status()).isEqualTo(421);
    }
    assertThatThrownBy(() -> start(Site.of(root), c -> c.withHosts(List.of(), true)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> virtual("x", "a.example:80")).hasMessageContaining("without a port");
    VirtualHost again = virtual("two", "ONE.example");
    assertThatThrownBy(
            () -> start(Site.of(root), c -> c.withHosts(List.of(hosts.get(0), again), false)))
        .hasMessageContaining("two virtual hosts");
  }

  @Test
  void plainHttpIsSentToHttps() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    start(Site.of(root), config -> config.withRedirect(new HttpsRedirect(List.of(any), 8443)));
    int plain = ((InetSocketAddress) server().redirectAddresses().getFirst()).getPort();
    try (HttpPeer peer = new HttpPeer(plain)) {
      for (String[] each :
          new String[][] {
            {"example.com", "/a?b", "https://example.com:8443/a?b"},
            {"example.com:80", "//evil.example/", "https://example.com:8443//evil.example/"},
            {"[::1]:80", "/", "https://[::1]:8443/"},
            {"example.com", "http://other.example/x", "https://other.example:8443/x"},
          }) {
        peer.send("GET " + each[1] + " HTTP/1.1\r\nHost: " + each[0] + "\r\n\r\n");
        HttpAnswer answer = peer.read();
        assertThat(answer.status()).isEqualTo(308);
        assertThat(answer.the("Location")).isEqualTo(each[2]);
      }
      assertThat(peer.request("POST", "/form", "Content-Length: 0").status()).isEqualTo(308);
    }
  }

  /// A form that is sent by plain HTTP is too late to be kept secret, and is sent again all the
  /// same: a body is neither waited for nor a reason for another answer.
  @Test
  void plainHttpIsSentToHttpsWhateverTheBody() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    start(Site.of(root), config -> config.withRedirect(new HttpsRedirect(List.of(any), 8443)));
    int plain = ((InetSocketAddress) server().redirectAddresses().getFirst()).getPort();
    String post = "POST /form HTTP/1.1\r\nHost: a\r\n";
    try (HttpPeer peer = new HttpPeer(plain)) {
      for (int length : new int[] {3, 20_000, 1 << 20}) {
        peer.send(post + "Content-Length: " + length + "\r\n\r\n");
        assertThat(peer.read().status()).as("of a body that has not come").isEqualTo(308);
        peer.send("x".repeat(length));
      }
      peer.send(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
      assertThat(peer.read().status()).isEqualTo(308);
      assertThat(peer.request("GET", "/").status()).isEqualTo(308);
      peer.send(post + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n");
      HttpAnswer last = peer.readHead();
      assertThat(last.status()).as("and no 100").isEqualTo(308);
      assertThat(last.the("Connection")).isEqualTo("close");
    }
    try (HttpPeer peer = new HttpPeer(plain)) {
      peer.send(post + "Content-Length: 100000000\r\n\r\n");
      HttpAnswer endless = peer.readHead();
      assertThat(endless.status()).isEqualTo(308);
      assertThat(endless.the("Connection")).isEqualTo("close");
    }
  }

  @Test
  void sitesAreReplacedAllOrNothingWhileTheServerRuns() throws Exception {
    List<VirtualHost> hosts = List.of(virtual("one", "one.example"));
    start(Site.of(root), config -> config.withHosts(hosts, false));
    HttpConfig before = HttpConfig.of(ServerConfig.onLoopback("x", 0), Site.of(root));
    try (HttpPeer kept = connect()) {
      assertThat(kept.get("/a.txt").text()).isEqualTo("alpha");
      assertThat(host("one.example", "/").text()).isEqualTo("one");
      server().publishTo(counters);
      long fills = sum("/fills");

      Site missing = Site.of(outside.resolve("nowhere"));
      HttpConfig wrong =
          before.withHosts(List.of(new VirtualHost(List.of("w"), missing, SiteRules.NONE)), false);
      assertThatThrownBy(() -> server().replaceSites(wrong)).isInstanceOf(IOException.class);
      HttpConfig noPage =
          HttpConfig.of(before.server(), Site.of(root).withErrorPages(Map.of(404, "no")));
      assertThatThrownBy(() -> server().replaceSites(noPage)).isInstanceOf(IOException.class);
      assertThat(kept.get("/a.txt").text()).isEqualTo("alpha");
      assertThat(host("one.example", "/").text()).isEqualTo("one");

      SiteRules rules = SiteRules.NONE.withHeaders(List.of(header("/*", "X-New", "yes")));
      HttpConfig next =
          before.withRules(rules).withHosts(List.of(virtual("two", "one.example")), false);
      server().replaceSites(next);
      assertThat(kept.get("/a.txt").the("X-New")).isEqualTo("yes");
      assertThat(host("one.example", "/").text()).isEqualTo("two");
      assertThat(sum("/fills")).as("counters only grow").isGreaterThan(fills);
      for (int i = 0; i < 20; i++) {
        server().replaceSites(i % 2 == 0 ? before : next);
        assertThat(kept.get("/a.txt").field("X-New")).isEqualTo(i % 2 == 0 ? null : "yes");
      }
    }
  }

  private long sum(String name) {
    return counters.snapshot().values().stream()
        .filter(each -> each.label().endsWith(name))
        .mapToLong(CounterValue::value)
        .sum();
  }
}
