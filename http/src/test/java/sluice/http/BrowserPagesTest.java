package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;

/// Error pages for browsers, which no other client sees.
@Timeout(60)
final class BrowserPagesTest extends HttpContractRig {
  private static final String SHORT =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>404 Not Found"
          + "</title></head>\n<body><h1>404 Not Found</h1></body></html>\n";

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/html",
        "TEXT/Html",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "a/b , text/html;level=1;q=0.4",
        "text/html;q=0.01",
        "text/html;q=10",
        "*/*,text/html"
      })
  void aBrowserHasAPage(String accept) throws IOException {
    HttpAnswer page = get("/none", "Accept: " + accept);
    assertThat(page.status()).isEqualTo(404);
    assertThat(page.the("Content-Type")).isEqualTo("text/html; charset=utf-8");
    assertThat(page.the("Vary")).isEqualTo("Accept");
    assertThat(page.text())
        .startsWith("<!DOCTYPE html>")
        .contains("<title>404 Not Found</title>", "<b>404</b>", "<h1>Not Found</h1>")
        .contains("color-scheme: light dark", "There is no page at this address")
        .doesNotContain("<script", "src=", "http:", "https:");
    HttpAnswer head = request("HEAD", "/none", "Accept: " + accept);
    assertThat(head.lastingFields()).isEqualTo(page.lastingFields());
    assertThat(head.contentLength()).isEqualTo(page.body().length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*/*",
        "text/*",
        "",
        "text/htmlx",
        "text/htm",
        "application/json",
        "text/html;q=0",
        "text/html ; q=0.000",
        "text/html;Q=0.",
        "x/text/html"
      })
  void everyOtherClientHasTheShortOne(String accept) throws IOException {
    HttpAnswer without = get("/none");
    HttpAnswer with = get("/none", "Accept: " + accept);
    assertThat(with.text()).isEqualTo(SHORT).isEqualTo(without.text());
    assertThat(with.lastingFields()).isEqualTo(without.lastingFields());
    assertThat(with.field("Vary")).isNull();
  }

  @Test
  void aSecondLineCounts() throws IOException {
    assertThat(get("/none", "Accept: a/b", "X-Y: z", "Accept: text/html").field("Vary"))
        .isEqualTo("Accept");
  }

  @Test
  void theSitesOwnPageStays() throws IOException {
    write("404.html", "<h1>nothing here</h1>");
    start(Site.of(root).withErrorPages(Map.of(404, "404.html")), config -> config);
    HttpAnswer page = get("/none", "Accept: text/html");
    assertThat(page.text()).isEqualTo("<h1>nothing here</h1>");
    assertThat(page.field("Vary")).isNull();
    HttpAnswer other = request("DELETE", "/a.txt", "Accept: text/html");
    assertThat(other.status()).isEqualTo(405);
    assertThat(other.text()).contains("<h1>Method Not Allowed</h1>");
  }

  /// A request that could not be understood has no Accept that could be believed.
  @Test
  void requestsThatAreNoneHaveTheShortPage() throws IOException {
    try (HttpPeer peer = connect()) {
      peer.send("GET /\u0001 HTTP/1.1\r\nHost: t\r\nAccept: text/html\r\n\r\n");
      HttpAnswer answer = peer.read();
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).contains("<h1>400 Bad Request</h1>");
    }
  }

  @Test
  void aListingIsSortedAsItsQuerySays() throws IOException {
    write("d/file 2", "x".repeat(3000));
    write("d/file 10", "y");
    start(Site.of(root).withListing(true), config -> config);
    assertThat(get("/d/").text()).containsSubsequence(">file 2<", "2.9 KiB", ">file 10<", "1 B");
    assertThat(get("/d/?sort=size").text()).containsSubsequence(">file 10<", ">file 2<");
    assertThat(get("/d/?sort=-size").text()).containsSubsequence(">file 2<", ">file 10<");
    for (String other :
        new String[] {"?sort=", "?sort=sizes", "?x", "?sort=%73ize", "?Sort=size"}) {
      assertThat(get("/d/" + other).text()).isEqualTo(get("/d/").text());
    }
    HttpAnswer file = get("/a.txt?sort=size", "Accept-Encoding: gzip");
    assertThat(file.text()).isEqualTo("alpha");
  }
}
