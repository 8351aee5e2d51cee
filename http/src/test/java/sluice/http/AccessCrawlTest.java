package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.rules.AccessRule;
import sluice.http.rules.AddressRange;
import sluice.http.rules.HeaderRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;

/// Asks a site for every file under every spelling that it answers, without rules and then with one
/// rule for each spelling: bytes that a rule refuses under its own path are refused everywhere.
///
/// Each rule has a host of its own. Bodies are compared as they are sent, so a precompressed file
/// counts as itself, under its own name and in place of the file beside it.
@Timeout(240)
final class AccessCrawlTest extends HttpContractRig {
  private static final String OPEN = "open.test";
  private static final List<String> CODINGS = List.of("identity", "gzip", "br", "zstd", "br, gzip");

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  private static AccessRule denied(String path) {
    List<AddressRange> all = List.of(AddressRange.of("all"));
    return new AccessRule(PathPattern.of(path), List.of(), all, null);
  }

  private void files() throws IOException {
    write("private.html", page("private"));
    write("notes.htm", page("notes"));
    write("dir/index.html", page("index of dir"));
    write("dir/page.html", page("page of dir"));
    write("dir/plain.txt", page("plain"));
    write("other/index.htm", page("index of other"));
    write("both.html", page("both, the file"));
    write("both/index.html", page("both, the directory"));
    write("both/inner.html", page("both, inside"));
    write("ümläut sp.html", page("letters"));
    write("app.html", page("stands in"));
    for (String file : List.of("private.html", "dir/index.html", "dir/plain.txt")) {
      byte[] bytes = Files.readAllBytes(root.resolve(file));
      Files.write(root.resolve(file + ".gz"), gzip(bytes));
      Files.write(root.resolve(file + ".br"), ("br of " + file).getBytes(StandardCharsets.UTF_8));
      Files.write(root.resolve(file + ".zst"), ("zst of " + file).getBytes(StandardCharsets.UTF_8));
    }
    Files.write(root.resolve("dir/plain.txt.gz.br"), new byte[] {1, 2, 3, 4, 5});
  }

  private static String page(String of) {
    return "<p>" + (of + " ").repeat(100) + "</p>";
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    }
    return out.toByteArray();
  }

  /// Every canonical path that may lead to a file: its own, without its endings, and directories.
  private Set<String> paths() throws IOException {
    Set<String> paths = new LinkedHashSet<>(List.of("/"));
    List<Path> all;
    try (var walk = Files.walk(root)) {
      all = walk.filter(each -> !each.equals(root)).toList();
    }
    for (Path each : all) {
      String path = "/" + root.relativize(each);
      paths.add(path);
      if (Files.isDirectory(each)) {
        paths.add(path + "/");
        continue;
      }
      String name = path;
      for (int dot = name.lastIndexOf('.');
          dot > name.lastIndexOf('/');
          dot = name.lastIndexOf('.')) {
        name = name.substring(0, dot);
        paths.add(name);
      }
      paths.add(path + "/");
    }
    return paths;
  }

  /// Spellings of one path that lead to the same file, and some that may not.
  private static List<String> spellings(String path) {
    StringBuilder escaped = new StringBuilder();
    StringBuilder plain = new StringBuilder();
    for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
      String escape = "%" + "%02x".formatted(b & 0xff);
      escaped.append(b == '/' ? "/" : escape);
      plain.append(b > ' ' && b < 0x7f ? String.valueOf((char) b) : escape);
    }
    String at = plain.toString();
    String last = at.substring(at.lastIndexOf('/'));
    List<String> all = new ArrayList<>();
    all.add(at);
    all.add(escaped.toString());
    all.add("/" + at);
    all.add(at.replace("/", "///"));
    all.add("/." + at);
    all.add("/x/.." + at);
    all.add("/x/%2e%2E" + at);
    all.add(at.substring(0, at.length() - last.length()) + "/x/.." + last);
    all.add(at + "?query=1");
    all.add(at + ";v=1");
    all.add(at + "%00");
    all.add(at + "/");
    all.add(at + "/.");
    all.add(at + "/x/..");
    all.add(at.toUpperCase(Locale.ROOT));
    all.add("http://test" + at);
    return all;
  }

  private static HttpAnswer ask(
      HttpPeer peer, String method, String host, String target, String coding, String more)
      throws IOException {
    peer.send(
        method
            + " "
            + target
            + " HTTP/1.1\r\nHost: "
            + host
            + "\r\nAccept-Encoding: "
            + coding
            + "\r\n"
            + more
            + "\r\n");
    return peer.read(method);
  }

  /// A connection again after a reply that ended the one before.
  private final class Client implements AutoCloseable {
    private HttpPeer peer;

    Client() throws IOException {
      peer = connect();
    }

    HttpAnswer ask(String method, String host, String target, String coding, String more)
        throws IOException {
      String at = target.replace("http://test", "http://" + host);
      HttpAnswer answer = AccessCrawlTest.ask(peer, method, host, at, coding, more);
      if (answer.closes()) {
        peer.close();
        peer = connect();
      }
      return answer;
    }

    @Override
    public void close() throws IOException {
      peer.close();
    }
  }

  private record Asked(String target, String coding) {}

  private Map<Asked, String> crawl(Client client, Set<String> paths) throws IOException {
    Map<Asked, String> served = new LinkedHashMap<>();
    for (String path : paths) {
      for (String target : spellings(path)) {
        for (String coding : CODINGS) {
          HttpAnswer answer = client.ask("GET", OPEN, target, coding, "");
          if (answer.status() == 200) {
            served.put(new Asked(target, coding), answer.text());
          }
        }
      }
    }
    return served;
  }

  /// A site without a stand-in; `app.html` is a file as others.
  @Test
  void theSameBytesHaveTheSameRuleUnderEverySpelling() throws Exception {
    files();
    Site site = Site.of(root).withTries(List.of("{path}.html", "{path}.htm"));
    Set<String> paths = paths();
    Map<String, String> hosts = new LinkedHashMap<>();
    List<VirtualHost> all = new ArrayList<>();
    all.add(new VirtualHost(List.of(OPEN), site, SiteRules.NONE));
    for (String path : paths) {
      String host = "h" + all.size() + ".test";
      hosts.put(path, host);
      all.add(
          new VirtualHost(List.of(host), site, SiteRules.NONE.withAccess(List.of(denied(path)))));
    }
    start(site, config -> config.withHosts(all, false));
    try (Client client = new Client()) {
      Map<Asked, String> served = crawl(client, paths);
      assertThat(served.size()).as("spellings that are answered").isGreaterThan(500);
      int refused = 0;
      for (String path : paths) {
        String plain = spellings(path).getFirst();
        Set<String> secrets = new LinkedHashSet<>();
        for (String coding : CODINGS) {
          String body = served.get(new Asked(plain, coding));
          if (body != null) {
            secrets.add(body);
          }
        }
        String host = Objects.requireNonNull(hosts.get(path));
        for (Map.Entry<Asked, String> each : served.entrySet()) {
          Asked asked = each.getKey();
          if (!secrets.contains(each.getValue())) {
            continue;
          }
          refused++;
          String what = "rule " + path + ", asked for " + asked;
          assertThat(client.ask("GET", host, asked.target, asked.coding, "").status())
              .as(what)
              .isEqualTo(403);
          assertThat(
                  client
                      .ask("GET", host, asked.target, asked.coding, "Range: bytes=0-3\r\n")
                      .status())
              .as("a range: " + what)
              .isEqualTo(403);
          assertThat(client.ask("HEAD", host, asked.target, asked.coding, "").status())
              .as("HEAD: " + what)
              .isEqualTo(403);
        }
        // What has nothing to do with the rule is served as before.
        boolean mine = List.of("/", "/a.txt", "/a.txt/").contains(path);
        assertThat(client.ask("GET", host, "/a.txt", "identity", "").status())
            .as(path)
            .isEqualTo(mine ? 403 : 200);
      }
      assertThat(refused).as("spellings that a rule refuses").isGreaterThan(1000);
    }
  }

  @Test
  void fieldsOfAPathAreOnItsFileUnderEverySpelling() throws Exception {
    files();
    List<HeaderRule> headers =
        List.of(
            new HeaderRule(PathPattern.of("/private"), Map.of("X-Private", "1")),
            new HeaderRule(PathPattern.of("/dir/index"), Map.of("X-Dir", "1")),
            new HeaderRule(PathPattern.of("/other/"), Map.of("X-Other", "1")));
    Site site = Site.of(root).withTries(List.of("{path}.html", "{path}.htm"));
    start(site, config -> config.withRules(SiteRules.NONE.withHeaders(headers)));
    Map<String, String> fields =
        Map.of(
            "/private", "X-Private",
            "/private.html", "X-Private",
            "/dir/", "X-Dir",
            "/dir/index", "X-Dir",
            "/dir/index.html", "X-Dir",
            "/other/", "X-Other",
            "/other/index.htm", "X-Other",
            "/other/index", "X-Other");
    try (Client client = new Client()) {
      for (Map.Entry<String, String> each : fields.entrySet()) {
        for (String coding : CODINGS) {
          HttpAnswer answer = client.ask("GET", "test", each.getKey(), coding, "");
          assertThat(answer.status()).isEqualTo(200);
          assertThat(answer.field(each.getValue())).as(each.getKey()).isEqualTo("1");
        }
      }
      HttpAnswer direct = client.ask("GET", "test", "/private.html.gz", "identity", "");
      assertThat(direct.status()).isEqualTo(200);
      assertThat(direct.field("X-Private")).as("another file").isNull();
    }
  }

  @Test
  void whatStandsInHasTheRulesOfItsFileAndOfThePathAskedFor() throws Exception {
    files();
    Site site = Site.of(root).withTries(List.of("{path}.html", "/app.html"));
    List<AccessRule> ofFile = List.of(denied("/app"));
    List<AccessRule> ofPath = List.of(denied("/client/route"));
    start(
        site,
        config ->
            config.withHosts(
                List.of(
                    new VirtualHost(List.of("file"), site, SiteRules.NONE.withAccess(ofFile)),
                    new VirtualHost(List.of("path"), site, SiteRules.NONE.withAccess(ofPath))),
                false));
    try (Client client = new Client()) {
      for (String path : List.of("/app", "/app.html", "/nothing", "/client/route", "/x/y.js")) {
        int status = path.equals("/client/route") ? 403 : 200;
        assertThat(client.ask("GET", "file", path, "identity", "").status()).isEqualTo(403);
        assertThat(client.ask("GET", "path", path, "identity", "").status()).isEqualTo(status);
      }
    }
  }

  @Test
  void whatAPatternWithAStarFitsHoldsForAllBelow() throws Exception {
    write("a/secret/index.html", page("index"));
    write("a/secret/deep/x.txt", page("x"));
    write("a/secrets.txt", page("open"));
    Site site = Site.of(root);
    List<AccessRule> rules = List.of(denied("*/secret"));
    start(site, config -> config.withRules(SiteRules.NONE.withAccess(rules)));
    try (Client client = new Client()) {
      for (String path :
          List.of("/a/secret", "/a/secret/", "/a/secret/index.html", "/a/secret/deep/x.txt")) {
        assertThat(client.ask("GET", "test", path, "identity", "").status()).isEqualTo(403);
      }
      assertThat(client.ask("GET", "test", "/a/secrets.txt", "identity", "").status())
          .isEqualTo(200);
    }
  }
}
