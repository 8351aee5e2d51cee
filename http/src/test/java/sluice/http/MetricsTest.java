package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.clients.ClientLimits;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;
import sluice.loop.engine.Backend;
import sluice.loop.tls.TlsContext;
import sluice.testbase.Child;

/// What a scraper gets of a server that uses everything it counts.
@Timeout(240)
final class MetricsTest extends HttpContractRig {
  private static final Pattern COUNT =
      Pattern.compile("sluice_request_duration_seconds_count\\{source=\"http\"} ([0-9]+)");

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  private String scraped(String... accept) throws IOException {
    Route quick = Route.at("/quick").withInterruptlet(() -> (request, reply) -> false);
    Route slow = Route.at("/slow").withSlowHandler((request, responder) -> responder.send("s"));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    start(
        Site.of(root),
        config ->
            config
                .withClientLimits(new ClientLimits(100, 1000, 1000))
                .withAccessLog(outside.resolve("log"))
                .withRoutes(List.of(quick, slow))
                .withMonitoring(Monitoring.at(any)));
    server().publishTo(new CounterPublisher(Counters.inMemory()));
    try (HttpPeer peer = connect()) {
      for (String path : List.of("/", "/a.txt", "/a.txt", "/none", "/quick", "/slow")) {
        peer.get(path);
      }
      peer.send(HttpPeer.text("GET", "/a.txt").repeat(3));
      for (int i = 0; i < 3; i++) {
        assertThat(peer.read().status()).isEqualTo(200);
      }
    }
    InetSocketAddress at = (InetSocketAddress) server().monitoringAddresses().getFirst();
    try (HttpPeer peer = new HttpPeer(at.getPort())) {
      return peer.get("/metrics", accept).text();
    }
  }

  @Test
  void everyRequestIsTimedOnce() throws Exception {
    String text = scraped();
    Matcher count = COUNT.matcher(text);
    assertThat(count.find()).isTrue();
    assertThat(Long.parseLong(count.group(1))).isEqualTo(9);
    assertThat(text).contains("_bucket{source=\"http\",le=\"+Inf\"} 9\n");
  }

  private String expiries() throws IOException {
    InetSocketAddress at = (InetSocketAddress) server().monitoringAddresses().getFirst();
    try (HttpPeer peer = new HttpPeer(at.getPort())) {
      return peer.get("/metrics")
          .text()
          .lines()
          .filter(line -> line.startsWith("sluice_certificate_not_after_timestamp_seconds"))
          .collect(Collectors.joining("\n"));
    }
  }

  private static String expiry(TestKeys keys, String host) throws Exception {
    X509Certificate certificate = (X509Certificate) keys.trusted().getCertificate("key");
    return "sluice_certificate_not_after_timestamp_seconds{file=\"%s\",host=\"%s\"} %d"
        .formatted(
            keys.certificate(), host, certificate.getNotAfter().toInstant().getEpochSecond());
  }

  @Test
  void certificatesTellWhenTheyExpireAlsoNewOnes() throws Exception {
    TestKeys first = TestKeys.make(outside, 3, List.of("a.example", "*.b.example"));
    TlsContext tls = TlsContext.load(first.certificate(), first.key());
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    start(config ->
        HttpConfig.of(config.server().withTls(tls), config.site())
            .withMonitoring(Monitoring.at(any)));
    server().publishTo(new CounterPublisher(Counters.inMemory()));
    assertThat(expiries())
        .isEqualTo(expiry(first, "a.example") + "\n" + expiry(first, "*.b.example"));
    TestKeys next = TestKeys.make(outside, 30, List.of("a.example"));
    server().reload();
    assertThat(expiries()).isEqualTo(expiry(next, "a.example"));
    Files.writeString(next.certificate(), "damaged");
    assertThatThrownBy(() -> server().reload()).isInstanceOf(IOException.class);
    assertThat(expiries()).as("that which is served").isEqualTo(expiry(next, "a.example"));
  }

  /// Lines in the order that the format wants, each name with its meaning from the table.
  @Test
  void everyNameSaysWhatItMeans() throws Exception {
    String text = scraped("Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    assertThat(text).endsWith("# EOF\n").contains("# UNIT sluice_sent_bytes bytes\n");
    for (String line : text.lines().filter(each -> each.startsWith("# HELP ")).toList()) {
      String[] words = line.split(" ", 4);
      String plain = words[2].replaceFirst("^sluice_", "");
      assertThat(words[3]).as(line).isNotEqualTo(plain.replace('_', ' ')).endsWith(".");
    }
  }

  @Test
  void promtoolFindsNothingWrong() throws Exception {
    boolean there =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "promtool")));
    assumeTrue(there, "promtool is missing: apt-get install prometheus");
    Path file = Files.writeString(outside.resolve("metrics"), scraped());
    ProcessBuilder builder = new ProcessBuilder("promtool", "check", "metrics");
    Child child = Child.run(builder.redirectInput(file.toFile()));
    assertThat(child.output()).isEmpty();
    assertThat(child.exit()).isZero();
  }
}
