package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import sluice.http.parse.HttpLimits;
import sluice.http.site.Site;

/// What is found under which path, and how its representations are chosen.
abstract class HttpContractSite extends HttpContractPaths {
  private static final String OLD = "Sun, 06 Nov 1994 08:49:37 GMT";
  private static final String FUTURE = "Sun, 06 Nov 2033 08:49:37 GMT";

  @Test
  void conditionalRequests() throws IOException {
    Files.setLastModifiedTime(root.resolve("a.txt"), FileTime.from(Instant.ofEpochSecond(1 << 30)));
    HttpAnswer plain = get("/a.txt");
    String tag = plain.the("ETag");
    String date = plain.the("Last-Modified");
    assertThat(date).isEqualTo("Sat, 10 Jan 2004 13:37:04 GMT");
    for (int round = 0; round < 2; round++) {
      check(304, "If-None-Match: " + tag);
      check(304, "If-None-Match: W/" + tag);
      check(304, "If-None-Match: \"x\", W/\"y\" ,, " + tag);
      check(304, "If-None-Match: \"x\"", "If-None-Match: " + tag);
      check(304, "If-None-Match: *");
      check(200, "If-None-Match: \"x\"");
      check(200, "If-None-Match: " + tag.substring(0, tag.length() - 1));
      check(304, "If-Modified-Since: " + date);
      check(304, "If-Modified-Since: Saturday, 10-Jan-04 13:37:04 GMT");
      check(200, "If-Modified-Since: " + OLD);
      check(200, "If-Modified-Since: yesterday");
      check(200, "If-None-Match: \"x\"", "If-Modified-Since: " + date);
      check(304, "If-None-Match: " + tag, "If-Modified-Since: " + OLD);
      check(200, "If-Match: " + tag);
      check(200, "If-Match: *");
      check(412, "If-Match: W/" + tag);
      check(412, "If-Match: \"x\"");
      check(200, "If-Match: " + tag, "If-Unmodified-Since: " + OLD);
      check(412, "If-Unmodified-Since: " + OLD);
      check(200, "If-Unmodified-Since: " + FUTURE);
      check(304, "If-Match: " + tag, "If-None-Match: " + tag);
      check(412, "If-Match: \"x\"", "If-None-Match: " + tag);
      // a condition says nothing about what is not there
      assertThat(get("/none", "If-None-Match: *").status()).isEqualTo(404);
    }
  }

  @Test
  void lastModifiedComesWhenItsSecondIsOver() throws Exception {
    Path file = root.resolve("a.txt");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(3600)));
    for (int round = 0; round < 2; round++) {
      HttpAnswer early = get("/a.txt");
      assertThat(early.field("Last-Modified")).as("later than Date").isNull();
      assertThat(get("/a.txt", "If-None-Match: " + early.the("ETag")).status()).isEqualTo(304);
      check(200, "If-Modified-Since: " + early.the("Date"));
      check(412, "If-Unmodified-Since: " + early.the("Date"));
    }
    Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    HttpAnswer later = get("/a.txt");
    for (int i = 0; i < 3000 && later.field("Last-Modified") == null; i++) {
      Thread.sleep(10);
      later = get("/a.txt");
    }
    check(304, "If-Modified-Since: " + later.the("Last-Modified"));
    assertThat(get("/a.txt", "Range: bytes=1-2", "If-Range: " + later.the("Last-Modified")).text())
        .isEqualTo("lp");
  }

  private void check(int status, String... fields) throws IOException {
    HttpAnswer plain = get("/a.txt");
    for (String method : List.of("GET", "HEAD")) {
      HttpAnswer reply = request(method, "/a.txt", fields);
      assertThat(reply.status()).as(Arrays.toString(fields)).isEqualTo(status);
      if (status != 412) {
        assertThat(reply.the("ETag")).isEqualTo(plain.the("ETag"));
        assertThat(reply.field("Vary")).isEqualTo(plain.field("Vary"));
      }
      if (status == 304) {
        assertThat(reply.field("Content-Type")).isNull();
      }
    }
  }

  @Test
  void ranges() throws IOException {
    for (int size : new int[] {1_000, 300_000, 2_500_000}) {
      byte[] content = pattern(size, size);
      write("r.bin", content);
      range(content, "bytes=0-0", 0, 1);
      range(content, "bytes=10-19", 10, 20);
      range(content, "bytes=990-", 990, size);
      range(content, "Bytes=-5", size - 5, size);
      range(content, "bytes=-99999999", 0, size);
      range(content, "bytes=3-99999999999999999999", 3, size);
      range(content, "bytes=5-9,10-19", 5, 20);
      for (String bad :
          List.of("bytes=9-8", "bytes=", "bytes=x", "lines=1-2", "bytes=1-2;", "bytes 1-2")) {
        assertThat(get("/r.bin", "Range: " + bad).body()).isEqualTo(content);
      }
      for (String none : List.of("bytes=" + size + "-", "bytes=-0", "bytes=9999999-99999999")) {
        HttpAnswer reply = get("/r.bin", "Range: " + none);
        assertThat(reply.status()).isEqualTo(416);
        assertThat(reply.the("Content-Range")).isEqualTo("bytes */" + size);
      }
      HttpAnswer head = request("HEAD", "/r.bin", "Range: bytes=0-1");
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.contentLength()).isEqualTo(size);
      multipart(content);
      ifRange(content);
    }
  }

  private void range(byte[] content, String range, int from, int to) throws IOException {
    HttpAnswer reply = get("/r.bin", "Range: " + range);
    assertThat(reply.status()).isEqualTo(206);
    assertThat(reply.the("Content-Range"))
        .isEqualTo("bytes %d-%d/%d".formatted(from, to - 1, content.length));
    assertThat(reply.body()).isEqualTo(Arrays.copyOfRange(content, from, to));
    assertThat(reply.the("ETag")).isEqualTo(get("/r.bin").the("ETag"));
    assertThat(reply.the("Content-Type")).isEqualTo("application/octet-stream");
  }

  private void multipart(byte[] content) throws IOException {
    int end = content.length;
    HttpPeer peer = peer();
    HttpAnswer reply = peer.get("/r.bin", "Range: bytes=0-9, 200-299 ,-10");
    assertThat(reply.status()).isEqualTo(206);
    String type = reply.the("Content-Type");
    assertThat(type).startsWith("multipart/byteranges; boundary=");
    assertThat(reply.field("Content-Range")).isNull();
    String boundary = type.substring(type.indexOf('=') + 1);
    StringBuilder expected = new StringBuilder();
    for (int[] each : new int[][] {{0, 10}, {200, 300}, {end - 10, end}}) {
      expected.append("\r\n--" + boundary + "\r\nContent-Type: application/octet-stream\r\n");
      expected.append("Content-Range: bytes %d-%d/%d\r\n\r\n".formatted(each[0], each[1] - 1, end));
      byte[] bytes = Arrays.copyOfRange(content, each[0], each[1]);
      expected.append(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    assertThat(reply.text()).isEqualTo(expected + "\r\n--" + boundary + "--\r\n");
    assertThat(peer.get("/a.txt").text()).isEqualTo("alpha");
  }

  private void ifRange(byte[] content) throws IOException {
    Instant before = Instant.now().minusSeconds(100);
    Files.setLastModifiedTime(root.resolve("r.bin"), FileTime.from(before));
    HttpAnswer plain = get("/r.bin");
    for (String good : List.of(plain.the("ETag"), plain.the("Last-Modified"))) {
      HttpAnswer reply = get("/r.bin", "Range: bytes=1-2", "If-Range: " + good);
      assertThat(reply.status()).isEqualTo(206);
    }
    for (String bad : List.of("W/" + plain.the("ETag"), "\"x\"", OLD, FUTURE, "x")) {
      HttpAnswer reply = get("/r.bin", "Range: bytes=1-2", "If-Range: " + bad);
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.body()).isEqualTo(content);
    }
  }

  @Test
  void compressionIsNegotiatedAndTagged() throws IOException {
    byte[] text = "the same line again and again\n".repeat(200).getBytes(StandardCharsets.US_ASCII);
    write("t.txt", text);
    write("u.bin", pattern(6_000, 1));
    HttpAnswer plain = get("/t.txt");
    HttpAnswer packed = get("/t.txt", "Accept-Encoding: br;q=0.5, gzip");
    assertThat(plain.field("Content-Encoding")).isNull();
    assertThat(packed.the("Content-Encoding")).isEqualTo("gzip");
    assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
        .isEqualTo(text);
    assertThat(plain.body()).isEqualTo(text);
    assertThat(plain.the("Vary")).isEqualTo("Accept-Encoding");
    assertThat(packed.the("Vary")).isEqualTo("Accept-Encoding");
    assertThat(packed.the("ETag")).isNotEqualTo(plain.the("ETag"));
    assertThat(get("/t.txt", "Accept-Encoding: gzip;q=0").body()).isEqualTo(text);
    assertThat(get("/u.bin", "Accept-Encoding: gzip").field("Content-Encoding")).isNull();
    String gzip = "Accept-Encoding: gzip";
    HttpAnswer same = get("/t.txt", gzip, "If-None-Match: " + packed.the("ETag"));
    assertThat(same.status()).isEqualTo(304);
    assertThat(same.the("ETag")).isEqualTo(packed.the("ETag"));
    assertThat(get("/t.txt", gzip, "If-None-Match: " + plain.the("ETag")).status()).isEqualTo(200);
    // a range is a range of the compressed bytes
    HttpAnswer part = get("/t.txt", gzip, "Range: bytes=2-11");
    assertThat(part.body()).isEqualTo(Arrays.copyOfRange(packed.body(), 2, 12));
    assertThat(part.the("Content-Encoding")).isEqualTo("gzip");
  }

  @Test
  void siblingsAreServedUnlessTheyAreOlder() throws IOException {
    write("s.css", "body {}");
    for (String suffix : List.of("br", "zst", "gz")) {
      write("s.css." + suffix, "as " + suffix);
    }
    assertThat(get("/s.css", "Accept-Encoding: gzip, br, zstd").text()).isEqualTo("as br");
    assertThat(get("/s.css", "Accept-Encoding: gzip, br;q=0, zstd").text()).isEqualTo("as zst");
    assertThat(get("/s.css", "Accept-Encoding: gzip").text()).isEqualTo("as gz");
    assertThat(get("/s.css").text()).isEqualTo("body {}");
    HttpAnswer reply = get("/s.css", "Accept-Encoding: br");
    assertThat(reply.the("Content-Type")).isEqualTo("text/css; charset=utf-8");
    assertThat(reply.the("Content-Encoding")).isEqualTo("br");
    Files.setLastModifiedTime(root.resolve("s.css.br"), FileTime.fromMillis(1_000_000_000));
    assertThat(get("/s.css", "Accept-Encoding: br").text()).isEqualTo("body {}");
    Files.delete(root.resolve("s.css.gz"));
    assertThat(get("/s.css", "Accept-Encoding: gzip").text()).isEqualTo("body {}");
    write("s.css.gz", "new");
    assertThat(get("/s.css", "Accept-Encoding: gzip").text()).isEqualTo("new");
  }

  @Test
  void directoriesRedirectAndHaveAnIndex() throws IOException {
    write("d/index.htm", "second choice");
    write("e/x y.txt", "x");
    assertThat(get("/d").status()).isEqualTo(301);
    assertThat(get("/d").the("Location")).isEqualTo("/d/");
    assertThat(get("/%64").the("Location")).isEqualTo("/%64/");
    assertThat(get("/d/").text()).isEqualTo("second choice");
    write("d/index.html", "first choice");
    assertThat(get("/d/").text()).isEqualTo("first choice");
    Files.delete(root.resolve("d/index.html"));
    assertThat(get("/d/").text()).isEqualTo("second choice");
    assertThat(get("/d/index.htm/").status()).isEqualTo(404);
    assertThat(get("/e/").status()).isEqualTo(403);
    assertThat(get("/").text()).isEqualTo("<p>home</p>");

    start(Site.of(root).withListing(true), config -> config);
    HttpAnswer listing = get("/e/");
    assertThat(listing.status()).isEqualTo(200);
    assertThat(listing.text()).contains("x%20y.txt");
    write("e/<b>.txt", "y");
    assertThat(get("/e/").text()).contains("&lt;b&gt;.txt").doesNotContain("<b>");
    assertThat(request("HEAD", "/e/").contentLength()).isEqualTo(get("/e/").body().length);
  }

  @Test
  void aRedirectKeepsTheQuery() throws IOException {
    write("d/index.html", "index");
    String odd = "a=%0d%0aX:%20y&b=//evil.example/?c;'\\^`{|}";
    for (int round = 0; round < 2; round++) { // filled first, then from the cache
      assertThat(get("/d?" + odd).the("Location")).isEqualTo("/d/?" + odd);
      assertThat(get("/d?").the("Location")).isEqualTo("/d/?");
      assertThat(get("/d").the("Location")).isEqualTo("/d/");
      assertThat(get("http://test/d?x=1").the("Location")).isEqualTo("/d/?x=1");
      assertThat(request("HEAD", "/d?q").the("Location")).isEqualTo("/d/?q");
      for (String bad : List.of("q\rX: y", "q\nX: y", "q\0", "q\u00e4", "q#f", "q\tX")) {
        HttpAnswer refused = get("/d?" + bad);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field("Location")).isNull();
      }
    }
    String longest = "q".repeat(HttpLimits.DEFAULT.targetBytes() - "/d?".length());
    assertThat(get("/d?" + longest).the("Location")).isEqualTo("/d/?" + longest);
    assertThat(get("/d?" + longest + "q").status()).isEqualTo(414);
    assertThat(get("/d/?" + odd).text()).isEqualTo("index");
  }

  @Test
  void errorPagesAreTheSitesOwn() throws IOException {
    write("404.html", "<h1>nothing here</h1>");
    start(Site.of(root).withErrorPages(Map.of(404, "404.html")), config -> config);
    HttpAnswer reply = get("/none");
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.text()).isEqualTo("<h1>nothing here</h1>");
    assertThat(reply.the("Content-Type")).startsWith("text/html");
    assertThat(get("/e%00").text()).contains("400 Bad Request");
  }

  @Test
  void pathsAreDecodedOnce() throws IOException {
    write("ä ö/100% & more.txt", "odd");
    write("%41.txt", "percent");
    write("A.txt", "letter");
    assertThat(get("/%C3%A4%20%c3%b6/100%25%20&%20more.txt").text()).isEqualTo("odd");
    assertThat(get("/%2541.txt").text()).isEqualTo("percent");
    assertThat(get("/%41.txt?q=/../x").text()).isEqualTo("letter");
    assertThat(get("/./x/../%2E/a.txt").text()).isEqualTo("alpha");
    assertThat(get("http://other.example/a.txt").text()).isEqualTo("alpha");
    assertThat(get("http://other.example").text()).isEqualTo("<p>home</p>");
    assertThat(get("http://other.example?x").text()).isEqualTo("<p>home</p>");
  }

  @Test
  void nothingOutsideTheRootIsReached() throws IOException {
    Path secret = root.resolveSibling(root.getFileName() + "-secret.txt");
    Files.writeString(secret, "secret");
    String name = secret.getFileName().toString();
    for (String way :
        List.of(
            "/../" + name,
            "/%2e%2e/" + name,
            "/%2E./" + name,
            "/.%2e/" + name,
            "/..%2f" + name,
            "/%2e%2e%2f" + name,
            "/%252e%252e/" + name,
            "/..\\" + name,
            "/..%5c" + name,
            "/d/../../" + name,
            "/./.././" + name,
            "//" + secret,
            "/" + secret,
            "/..;/" + name,
            "/%c0%ae%c0%ae/" + name,
            "/a.txt%00",
            "/%00/../" + name,
            "/a.txt/../../" + name,
            "http://test/../" + name,
            "http://test/%2e%2e/" + name)) {
      for (String method : List.of("GET", "HEAD")) {
        HttpAnswer reply = request(method, way);
        assertThat(reply.status()).as(way).isIn(400, 403, 404);
        assertThat(reply.text()).doesNotContain("secret.txt");
      }
    }
    for (String raw : List.of("..", "a.txt", "../" + name, "/a\u0000b", "/a\tb", "\\a.txt")) {
      HttpPeer peer = peer();
      peer.send("GET " + raw + " HTTP/1.1\r\nHost: t\r\n\r\n");
      assertThat(peer.read().status()).isEqualTo(400);
    }
    Files.delete(secret);
  }

  @Test
  void linksFollowThePolicy() throws IOException {
    Files.writeString(outside.resolve("o.txt"), "outside");
    Files.createSymbolicLink(root.resolve("in.txt"), Path.of("a.txt"));
    Files.createSymbolicLink(root.resolve("out.txt"), outside.resolve("o.txt"));
    Files.createSymbolicLink(root.resolve("outdir"), outside);
    Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
    Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
    Map<Site.Symlinks, List<Integer>> statuses =
        Map.of(
            Site.Symlinks.REFUSE, List.of(403, 403, 403),
            Site.Symlinks.INSIDE, List.of(200, 403, 403),
            Site.Symlinks.FOLLOW, List.of(200, 200, 200));
    for (Map.Entry<Site.Symlinks, List<Integer>> each : statuses.entrySet()) {
      start(Site.of(root).withSymlinks(each.getKey()), config -> config);
      List<Integer> expected = each.getValue();
      for (int round = 0; round < 2; round++) {
        assertThat(get("/in.txt").status()).isEqualTo(expected.get(0));
        assertThat(get("/out.txt").status()).isEqualTo(expected.get(1));
        assertThat(get("/outdir/o.txt").status()).isEqualTo(expected.get(2));
        assertThat(get("/loop").status()).isEqualTo(403);
        assertThat(get("/a.txt").text()).isEqualTo("alpha");
      }
    }
    // a link that changes its aim is followed anew
    start(config -> config);
    assertThat(get("/in.txt").text()).isEqualTo("alpha");
    Files.delete(root.resolve("in.txt"));
    Files.createSymbolicLink(root.resolve("in.txt"), Path.of("b.txt"));
    assertThat(get("/in.txt").text()).startsWith("bravo");
    write("b.txt", "changed");
    assertThat(get("/in.txt").text()).isEqualTo("changed");
  }

  @Test
  void hiddenFilesStayHidden() throws IOException {
    write(".env", "password");
    write(".git/config", "url");
    write(".well-known/acme", "challenge");
    write("x/.well-known/acme", "nested");
    for (String path :
        List.of("/.env", "/.git/config", "/.git/", "/%2eenv", "/x/.well-known/acme", "/.none")) {
      assertThat(get(path).status()).as(path).isEqualTo(403);
    }
    assertThat(get("/.well-known/acme").text()).isEqualTo("challenge");
    start(Site.of(root).withHiddenFiles(true), config -> config);
    assertThat(get("/.env").text()).isEqualTo("password");
  }

  @Test
  void everyMediaTypeOfTheTableHasItsField() throws IOException {
    Map<String, String> types =
        Map.of(
            "x.html", "text/html; charset=utf-8",
            "x.js", "text/javascript; charset=utf-8",
            "x.PNG", "image/png",
            "x.svg", "image/svg+xml",
            "x.json", "application/json",
            "x.tar.gz", "application/gzip",
            "x", "application/octet-stream",
            "x.unheard", "application/octet-stream");
    for (Map.Entry<String, String> each : types.entrySet()) {
      write(each.getKey(), "x");
      assertThat(get("/" + each.getKey()).the("Content-Type"))
          .as(each.getKey())
          .isEqualTo(each.getValue());
    }
  }

  @Test
  void specialFilesAndUnreadableOnesAreRefused() throws Exception {
    assertThat(new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start().waitFor())
        .isZero();
    assertThat(get("/pipe").status()).isIn(403, 404);
    write("empty.txt", "");
    HttpAnswer empty = get("/empty.txt");
    assertThat(empty.status()).isEqualTo(200);
    assertThat(empty.contentLength()).isZero();
    assertThat(get("/empty.txt", "Range: bytes=0-").status()).isEqualTo(416);
    assertThat(get("/empty.txt", "If-None-Match: " + empty.the("ETag")).status()).isEqualTo(304);
  }
}
