package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.http.parse.ContentNegotiation.BR;
import static sluice.http.parse.ContentNegotiation.GZIP;
import static sluice.http.parse.ContentNegotiation.IDENTITY;
import static sluice.http.parse.ContentNegotiation.ZSTD;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// RFC 9110 sections 12.4.2 and 12.5.3.
class ContentNegotiationTest {
  private static final int ALL = IDENTITY | GZIP | ZSTD | BR;

  private static String names(int mask) {
    return ((mask & BR) != 0 ? "br " : "")
        + ((mask & ZSTD) != 0 ? "zstd " : "")
        + ((mask & GZIP) != 0 ? "gzip " : "")
        + ((mask & IDENTITY) != 0 ? "identity" : "");
  }

  /// What is chosen when there is everything; what is accepted; chosen without compression.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip, deflate, br, zstd|br|br zstd gzip identity|identity",
        "gzip|gzip|gzip identity|identity",
        "GZip|gzip|gzip identity|identity",
        "x-gzip|gzip|gzip identity|identity",
        "''|identity|identity|identity",
        "deflate|identity|identity|identity",
        "gzip;q=1.0, br;q=0.5|gzip|br gzip identity|identity",
        "gzip;q=0.5, br;q=0.501|br|br gzip identity|identity",
        "gzip;q=0.001|gzip|gzip identity|identity",
        "gzip ; q=0.8 , zstd ;Q=0.9|zstd|zstd gzip identity|identity",
        "gzip;q=0|identity|identity|identity",
        "gzip;q=0.000, br|br|br identity|identity",
        "*|br|br zstd gzip identity|identity",
        "*;q=0.5, gzip|gzip|br zstd gzip identity|identity",
        "*;q=0|''|''|''",
        "gzip, *;q=0|gzip|gzip|''",
        "identity;q=0|''|''|''",
        "gzip, identity;q=0|gzip|gzip|''",
        "identity, *;q=0|identity|identity|identity",
        "identity;q=1, gzip;q=0.5|identity|gzip identity|identity",
        "identity;q=0.5, *;q=0|identity|identity|identity",
        "br;q=0, *|zstd|zstd gzip identity|identity",
        ",, gzip ,,|gzip|gzip identity|identity",
        "gzip;q=2|identity|identity|identity",
        "gzip;q=1.001|identity|identity|identity",
        "gzip;q=1.000|gzip|gzip identity|identity",
        "gzip;q=1.|gzip|gzip identity|identity",
        "gzip;q=0.1234|identity|identity|identity",
        "gzip;q=-1|identity|identity|identity",
        "gzip;q=.5|identity|identity|identity",
        "gzip;q=|identity|identity|identity",
        "gzip;q|identity|identity|identity",
        "gzip;|identity|identity|identity",
        "gzip;q= 1|identity|identity|identity",
        "gzip;x=1|identity|identity|identity",
        "gzip;q=1;x=1|identity|identity|identity",
        "gzip br|identity|identity|identity",
        "gzipped, xbr|identity|identity|identity",
        "identity;q=banana|identity|identity|identity"
      })
  void choices(String field, String best, String accepted, String onlyIdentity) {
    HttpRequest request = Parsed.ofLines("Accept-Encoding: " + field).request;
    assertThat(names(ContentNegotiation.choose(request, ALL)).strip()).isEqualTo(best);
    assertThat(names(ContentNegotiation.acceptable(request)).strip()).isEqualTo(accepted);
    assertThat(names(ContentNegotiation.choose(request, IDENTITY)).strip()).isEqualTo(onlyIdentity);
    int order = ContentNegotiation.order(request);
    for (int available = 0; available <= ALL; available++) {
      assertThat(ContentNegotiation.first(order, available))
          .as("of %s", names(available))
          .isEqualTo(ContentNegotiation.choose(request, available));
    }
  }

  @Test
  void availableCodingsOnly() {
    HttpRequest request = Parsed.ofLines("Accept-Encoding: gzip, br").request;
    assertThat(ContentNegotiation.choose(request, IDENTITY | GZIP)).isEqualTo(GZIP);
    assertThat(ContentNegotiation.choose(request, IDENTITY | ZSTD)).isEqualTo(IDENTITY);
    assertThat(ContentNegotiation.choose(request, ZSTD)).isZero();
  }

  @Test
  void withoutTheFieldIdentity() {
    HttpRequest request = Parsed.ofLines("Accept: gzip").request;
    assertThat(ContentNegotiation.choose(request, ALL)).isEqualTo(IDENTITY);
    assertThat(ContentNegotiation.acceptable(request)).isEqualTo(IDENTITY);
  }

  @Test
  void linesAddUp() {
    HttpRequest request =
        Parsed.ofLines("Accept-Encoding: gzip;q=0.1", "X: y", "accept-encoding: zstd").request;
    assertThat(ContentNegotiation.choose(request, ALL)).isEqualTo(ZSTD);
  }
}
