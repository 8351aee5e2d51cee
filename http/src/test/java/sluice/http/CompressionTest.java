package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.site.Compression;
import sluice.http.site.Site;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.loop.engine.Backend;
import sluice.sys.zstd.Zstd;

/// Files compressed on the fly by gzip and zstd, as clients see them.
@Timeout(240)
final class CompressionTest extends HttpContractRig {
  private static final byte[] MAGIC = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  private void start(Compression how) throws IOException {
    start(Site.of(root).withCompression(true, how), config -> config);
  }

  private String coding(String target, String accepted) throws IOException {
    return String.valueOf(get(target, "Accept-Encoding: " + accepted).field("Content-Encoding"));
  }

  @Test
  void zstdIsNegotiatedBesideGzipAndKept() throws Exception {
    assumeTrue(Zstd.why().isEmpty(), Zstd.why());
    String text = "some words that come again and again, ".repeat(200);
    write("t.txt", text);
    start(Compression.DEFAULT.withZstd(3));
    CounterPublisher counters = new CounterPublisher(Counters.inMemory());
    server().publishTo(counters);
    HttpAnswer packed = get("/t.txt", "Accept-Encoding: gzip, zstd");
    assertThat(packed.the("Content-Encoding")).isEqualTo("zstd");
    assertThat(packed.the("Vary")).isEqualTo("Accept-Encoding");
    assertThat(packed.the("ETag")).contains("-zstd");
    assertThat(Arrays.copyOf(packed.body(), 4)).isEqualTo(MAGIC);
    assertThat(packed.body().length).isLessThan(text.length() / 10);
    assertThat(coding("/t.txt", "zstd;q=0.5, gzip")).isEqualTo("gzip");
    assertThat(coding("/t.txt", "gzip;q=0.5, zstd")).isEqualTo("zstd");
    assertThat(coding("/t.txt", "zstd;q=0, gzip")).isEqualTo("gzip");
    assertThat(coding("/t.txt", "zstd;q=0, gzip;q=0, *;q=0.1")).isEqualTo("null");
    assertThat(coding("/t.txt", "identity")).isEqualTo("null");
    assertThat(get("/t.txt").text()).isEqualTo(text);

    String zstd = "Accept-Encoding: zstd";
    String tag = packed.the("ETag");
    assertThat(get("/t.txt", zstd, "If-None-Match: " + tag).status()).isEqualTo(304);
    HttpAnswer gzip = get("/t.txt", "Accept-Encoding: gzip");
    assertThat(gzip.the("ETag")).isNotEqualTo(tag);
    assertThat(get("/t.txt", zstd, "If-None-Match: " + gzip.the("ETag")).status()).isEqualTo(200);
    HttpAnswer part = get("/t.txt", zstd, "Range: bytes=2-11", "If-Range: " + tag);
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.body()).isEqualTo(Arrays.copyOfRange(packed.body(), 2, 12));

    long fills = sum(counters, "/fills");
    long hits = sum(counters, "/hits");
    for (int i = 0; i < 20; i++) {
      assertThat(get("/t.txt", "Accept-Encoding: gzip, zstd").body()).isEqualTo(packed.body());
    }
    assertThat(sum(counters, "/hits") - hits).isGreaterThanOrEqualTo(18);
    assertThat(sum(counters, "/fills") - fills).as("a date may come once").isLessThanOrEqualTo(2);

    write("t.txt", text + "more");
    assertThat(get("/t.txt", zstd).the("ETag")).isNotEqualTo(tag);
    write("t.txt.gz", "as gz");
    assertThat(get("/t.txt", "Accept-Encoding: gzip").text()).isEqualTo("as gz");
    assertThat(coding("/t.txt", "gzip, zstd")).isEqualTo("zstd");
    write("t.txt.zst", "as zst");
    assertThat(get("/t.txt", "Accept-Encoding: gzip, zstd").text()).isEqualTo("as zst");
  }

  private static long sum(CounterPublisher counters, String name) {
    return counters.snapshot().values().stream()
        .filter(each -> each.label().endsWith(name))
        .mapToLong(CounterValue::value)
        .sum();
  }

  @Test
  void lengthAndTypeDecide() throws Exception {
    write("small.txt", "x".repeat(999));
    write("large.txt", "x".repeat(1000));
    write("page.html", "x".repeat(5000));
    write("image.svg", "x".repeat(5000));
    start(Compression.DEFAULT.withLeastBytes(1000).withTypes(List.of("text/plain", "image/*")));
    assertThat(coding("/small.txt", "gzip")).isEqualTo("null");
    assertThat(coding("/large.txt", "gzip")).isEqualTo("gzip");
    assertThat(coding("/page.html", "gzip")).isEqualTo("null");
    assertThat(get("/page.html").field("Vary")).isEqualTo("Accept-Encoding"); // a sibling may come
    assertThat(coding("/image.svg", "gzip")).isEqualTo("gzip");
    start(Compression.DEFAULT.withGzip(0));
    assertThat(coding("/large.txt", "gzip, zstd")).isEqualTo("null");
  }
}
