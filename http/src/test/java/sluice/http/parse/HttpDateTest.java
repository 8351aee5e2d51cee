package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// RFC 9110 section 5.6.7.
class HttpDateTest {
  private static final long NOW = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();

  private static long parse(String text) {
    return HttpDate.parse(Bytes.view(text), 0, text.length(), NOW);
  }

  private static DateTimeFormatter pattern(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(ZoneOffset.UTC);
  }

  @Test
  void allFormsOfRandomTimes() {
    DateTimeFormatter fixdate = pattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'");
    DateTimeFormatter asctime = pattern("EEE MMM ppd HH:mm:ss yyyy");
    DateTimeFormatter rfc850 = pattern("EEEE, dd-MMM-yy HH:mm:ss 'GMT'");
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      long seconds = random.nextLong(-62_135_596_800L, 253_402_300_800L);
      Instant instant = Instant.ofEpochSecond(seconds);
      String text = fixdate.format(instant);
      assertThat(new String(HttpDate.format(seconds), StandardCharsets.US_ASCII)).isEqualTo(text);
      assertThat(parse(text)).as(text).isEqualTo(seconds);
      assertThat(parse(asctime.format(instant))).as(text).isEqualTo(seconds);
      int year = LocalDateTime.ofInstant(instant, ZoneOffset.UTC).getYear();
      if (year > 1976 && year <= 2076) {
        assertThat(parse(rfc850.format(instant))).as(text).isEqualTo(seconds);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Sun, 06 Nov 1994 08:49:37 GMT|784111777",
        "Sunday, 06-Nov-94 08:49:37 GMT|784111777",
        "Sun Nov  6 08:49:37 1994|784111777",
        "Thu, 01 Jan 1970 00:00:00 GMT|0",
        "Thu, 29 Feb 2024 23:59:59 GMT|1709251199",
        "Sat, 31 Dec 2016 23:59:60 GMT|1483228800",
        "Wednesday, 01-Jan-76 00:00:00 GMT|3345062400",
        "Saturday, 01-Jan-77 00:00:00 GMT|220924800"
      })
  void dates(String text, long seconds) {
    assertThat(parse(text)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "784111777",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +00",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Xxx 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT",
        "Thu, 29 Feb 2023 08:49:37 GMT",
        "Thu, 29 Feb 1900 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08-49-37 GMT",
        "Sun, 06 Nov 1994 8:49:37  GMT",
        "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 1x94 08:49:37 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun,  6 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Monday, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 gmt",
        "Sunday; 06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov   6 08:49:37 1994",
        "Sun Nov  0 08:49:37 1994",
        "Sun Nov x6 08:49:37 1994",
        "Sun Nov  6 08:49:37 19x4",
        "Sun Nov  6 08:49:37 1994 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT "
      })
  void nonsense(String text) {
    assertThat(parse(text)).isEqualTo(HttpDate.INVALID);
  }

  @Test
  void mutantsStayInBounds() {
    String[] valid = {
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
    };
    Random random = new Random(2);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder(valid[random.nextInt(valid.length)]);
      text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
      text.setLength(random.nextInt(text.length() + 1));
      assertThat(parse(text.toString())).isBetween(HttpDate.INVALID, 253_402_300_800L);
    }
  }

  @Test
  void timesThatCannotBeSaidAreMoved() {
    assertThat(HttpDate.format(Long.MAX_VALUE)).isEqualTo(HttpDate.format(253_402_300_799L));
    assertThat(new String(HttpDate.format(Long.MIN_VALUE), StandardCharsets.US_ASCII))
        .isEqualTo("Sat, 01 Jan 0000 00:00:00 GMT");
  }
}
