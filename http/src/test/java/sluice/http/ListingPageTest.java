package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.rules.HeaderRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.testbase.Child;

/// The page of a directory as a browser sees it: chromium without a display, which reads the page
/// from the server and lays it out; what it found is written to the console of the page's script.
@Timeout(240)
final class ListingPageTest extends HttpContractRig {
  private static final String FRAME =
      """
      <!DOCTYPE html><title>probe</title>
      <iframe id="f" src="/d/" width="WIDTH" height="600"></iframe>
      <pre id="out"></pre><script>
      f.onload = () => {
        const d = f.contentDocument, out = [];
        const cells = [...d.querySelectorAll('tr')].map(r => [...r.children]);
        out.push('mode ' + d.compatMode + ' rows ' + cells.length);
        out.push('wide ' + (d.documentElement.scrollWidth > f.clientWidth));
        out.push('right ' + getComputedStyle(cells[2][1]).textAlign);
        out.push('font ' + getComputedStyle(d.body).fontFamily);
        out.push('time ' + getComputedStyle(cells[2][2]).display);
        out.push('names ' + [...d.querySelectorAll('td a')].map(a => a.textContent).join('|'));
        const links = [...d.querySelectorAll('td a')].map(a => new URL(a.href).pathname);
        out.push('links ' + links.join('|'));
        document.getElementById('out').textContent = out.join('\\n');
      };
      </script>
      """;

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  private static Optional<String> browser() {
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .filter(name ->
            Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(each -> Files.isExecutable(Path.of(each, name))))
        .findFirst();
  }

  private List<String> seen(int width) throws Exception {
    write("probe.html", FRAME.replace("WIDTH", Integer.toString(width)));
    Path profile = Files.createTempDirectory(outside, "profile");
    ProcessBuilder builder =
        new ProcessBuilder(
            browser().orElseThrow(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--user-data-dir=" + profile,
            "--virtual-time-budget=5000",
            "--dump-dom",
            "http://127.0.0.1:" + port + "/probe.html");
    builder.environment().put("HOME", profile.toString());
    String dom = Child.run(builder).output();
    int from = dom.indexOf("<pre id=\"out\">");
    assertThat(from).as(dom).isNotNegative();
    String text = dom.substring(from + "<pre id=\"out\">".length(), dom.indexOf("</pre>", from));
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").lines().toList();
  }

  @Test
  void aBrowserLaysItOut() throws Exception {
    assumeTrue(browser().isPresent(), "chromium is missing: apt-get install chromium");
    for (String name : List.of("a.txt", "<b>&'\".txt", "\u00e4 \u00f6.txt", "x".repeat(200))) {
      write("d/" + name, "text");
    }
    write("d/sub/inside.txt", "text");
    start(Site.of(root).withListing(true), config -> config);
    List<String> wide = seen(1000);
    assertThat(wide)
        .contains("mode CSS1Compat rows 7", "wide false", "right right", "time table-cell")
        .anyMatch(line -> line.startsWith("font system-ui"))
        .contains("names ../|sub/|<b>&'\".txt|a.txt|" + "x".repeat(200) + "|\u00e4 \u00f6.txt");
    assertThat(wide.getLast())
        .startsWith("links /|/d/sub/|/d/%3Cb%3E%26%27%22.txt|/d/a.txt|")
        .endsWith("/%C3%A4%20%C3%B6.txt");
    assertThat(seen(300)).as("a telephone").contains("wide false", "time none");

    HeaderRule strict =
        new HeaderRule(
            PathPattern.of("/d/*"), Map.of("Content-Security-Policy", "default-src 'self'"));
    start(
        Site.of(root).withListing(true),
        config -> config.withRules(SiteRules.NONE.withHeaders(List.of(strict))));
    assertThat(seen(1000)).as("a plain table").contains("mode CSS1Compat rows 7");
  }
}
