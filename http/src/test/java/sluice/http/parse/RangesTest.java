package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.http.parse.Ranges.Outcome;

/// RFC 9110 sections 14.1, 14.2, 14.6, 15.3.7 and 17.15.
class RangesTest {
  private static String parse(String value, long length) {
    Ranges ranges = new Ranges();
    HttpRequest request = Parsed.ofLines("Range: " + value).request;
    Outcome outcome = ranges.parse(request, length);
    if (outcome != Outcome.PARTIAL) {
      assertThat(ranges.count()).isZero();
      return outcome.toString();
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < ranges.count(); i++) {
      assertThat(ranges.start(i)).isNotNegative().isLessThan(ranges.end(i));
      assertThat(ranges.end(i)).isLessThanOrEqualTo(length);
      parts.add(ranges.start(i) + "-" + ranges.end(i));
    }
    return String.join(" ", parts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ':',
      value = {
        "bytes=0-0:0-1",
        "bytes=0-499:0-500",
        "bytes=500-999:500-1000",
        "bytes=500-:500-10000",
        "bytes=-500:9500-10000",
        "bytes=-10000:0-10000",
        "bytes=-10001:0-10000",
        "bytes=0-:0-10000",
        "bytes=0-10000:0-10000",
        "bytes=9999-:9999-10000",
        "bytes=9999-99999999999999999999999:9999-10000",
        "bytes=-99999999999999999999999:0-10000",
        "Bytes=0-0:0-1",
        "BYTES=0-0:0-1",
        "bytes= 0-0 :0-1",
        "bytes=,0-0,:0-1",
        "bytes=0-0, -1:0-1 9999-10000",
        "bytes=-1,0-0:9999-10000 0-1",
        "bytes=0-0,500-599,200-299:0-1 500-600 200-300",
        "bytes=0-499,250-749:0-750",
        "bytes=500-700,0-100,601-999:500-1000 0-101",
        "bytes=0-99,100-199:0-200",
        "bytes=0-99,180-199:0-200",
        "bytes=0-99,181-199:0-100 181-200",
        "bytes=5000-5099,0-99,90-5010:0-5100",
        "bytes=0-0,10000-:0-1",
        "bytes=10000-,-0,1-1:1-2",
        "bytes=10000-:UNSATISFIABLE",
        "bytes=10000-10001,20000-:UNSATISFIABLE",
        "bytes=-0:UNSATISFIABLE",
        "bytes=99999999999999999999999-:UNSATISFIABLE",
        "bytes=:WHOLE",
        "bytes=,:WHOLE",
        "bytes=-:WHOLE",
        "bytes=1-0:WHOLE",
        "bytes=0-0,1-0:WHOLE",
        "bytes=--1:WHOLE",
        "bytes=+1-2:WHOLE",
        "bytes=1-2-3:WHOLE",
        "bytes=1 -2:WHOLE",
        "bytes=1- 2:WHOLE",
        "bytes=1:WHOLE",
        "bytes=a-b:WHOLE",
        "bytes=0x1-2:WHOLE",
        "bytes=0-0 1-1:WHOLE",
        "bytes=0-0;1-1:WHOLE",
        "bytes 0-0:WHOLE",
        "bytes =0-0:WHOLE",
        "bits=0-0:WHOLE",
        "byte=0-0:WHOLE",
        "bytess=0-0:WHOLE",
        "0-0:WHOLE",
        "'':WHOLE"
      })
  void ranges(String value, String expected) {
    assertThat(parse(value, 10_000)).isEqualTo(expected);
  }

  @Test
  void emptyRepresentation() {
    assertThat(parse("bytes=0-", 0)).isEqualTo("UNSATISFIABLE");
    assertThat(parse("bytes=0-0", 0)).isEqualTo("UNSATISFIABLE");
    assertThat(parse("bytes=-0", 0)).isEqualTo("UNSATISFIABLE");
    assertThat(parse("bytes=-5", 0)).isEqualTo("WHOLE");
  }

  @Test
  void greatLengths() {
    long length = Long.MAX_VALUE;
    assertThat(parse("bytes=9223372036854775806-9223372036854775807", length))
        .isEqualTo("9223372036854775806-9223372036854775807");
    assertThat(parse("bytes=-1", length)).isEqualTo("9223372036854775806-9223372036854775807");
    assertThat(parse("bytes=0-9223372036854775806", length)).isEqualTo("0-" + length);
  }

  @Test
  void onlyGetWithOneLine() {
    Ranges ranges = new Ranges();
    HttpRequest twice = Parsed.ofLines("Range: bytes=0-0", "Range: bytes=0-0").request;
    assertThat(ranges.parse(twice, 10)).isEqualTo(Outcome.WHOLE);
    assertThat(ranges.parse(Parsed.ofLines("X: y").request, 10)).isEqualTo(Outcome.WHOLE);
    for (String method : List.of("HEAD", "POST")) {
      HttpRequest other =
          Parsed.of(Bytes.head(method + " / HTTP/1.1", "Host: h", "Range: bytes=0-0")).request;
      assertThat(ranges.parse(other, 10)).isEqualTo(Outcome.WHOLE);
    }
  }

  @Test
  void moreThanSixteenAreIgnored() {
    StringBuilder value = new StringBuilder("bytes=0-0");
    for (int i = 1; i < 16; i++) {
      value.append(",").append(i * 100).append("-").append(i * 100);
    }
    assertThat(parse(value.toString(), 10_000).split(" ", -1)).hasSize(16);
    assertThat(parse(value + ",5000-5000", 10_000)).isEqualTo("WHOLE");
    assertThat(parse("bytes=" + "0-,".repeat(1000) + "0-", 10_000)).isEqualTo("WHOLE");
    assertThat(parse("bytes=" + "0-,".repeat(15) + "0-", 10_000)).isEqualTo("0-10000");
  }

  @Test
  void partsCoverWhatWasAskedAndNothingTwice() {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      int length = 1 + random.nextInt(2000);
      StringBuilder value = new StringBuilder("bytes=");
      BitSet wanted = new BitSet();
      for (int i = 1 + random.nextInt(8); i > 0; i--) {
        int first = random.nextInt(2200);
        int last = first + random.nextInt(random.nextBoolean() ? 20 : 1000);
        switch (random.nextInt(3)) {
          case 0 -> {
            value.append(first).append('-').append(last);
            wanted.set(Math.min(first, length), Math.min(last + 1, length));
          }
          case 1 -> {
            value.append(first).append('-');
            wanted.set(Math.min(first, length), length);
          }
          default -> {
            value.append('-').append(first);
            wanted.set(Math.max(0, length - first), length);
          }
        }
        value.append(i > 1 ? ", " : "");
      }
      String result = parse(value.toString(), length);
      if (wanted.isEmpty()) {
        assertThat(result).as("seed %d", seed).isEqualTo("UNSATISFIABLE");
        continue;
      }
      BitSet sent = new BitSet();
      for (String part : result.split(" ", -1)) {
        String[] bounds = part.split("-", -1);
        int start = Integer.parseInt(bounds[0]);
        int end = Integer.parseInt(bounds[1]);
        assertThat(sent.get(start, end).isEmpty()).as("seed %d: twice", seed).isTrue();
        sent.set(start, end);
      }
      wanted.andNot(sent);
      assertThat(wanted.isEmpty()).as("seed %d: %s", seed, value).isTrue();
    }
  }

  @Test
  void multipart() {
    Ranges ranges = new Ranges();
    HttpRequest request = Parsed.ofLines("Range: bytes=0-1,500-999").request;
    assertThat(ranges.parse(request, 10_000)).isEqualTo(Outcome.PARTIAL);
    MultipartRanges parts = new MultipartRanges(ranges, "text/plain", 10_000, new byte[16]);
    String boundary = "sluice-" + "0".repeat(32);
    assertThat(parts.contentType()).isEqualTo("multipart/byteranges; boundary=" + boundary);
    assertThat(new String(parts.head(1), StandardCharsets.US_ASCII))
        .isEqualTo(
            "\r\n--"
                + boundary
                + "\r\n"
                + Bytes.head("Content-Type: text/plain", "Content-Range: bytes 500-999/10000"));
    assertThat(new String(parts.tail(), StandardCharsets.US_ASCII))
        .isEqualTo("\r\n--" + boundary + "--\r\n");
    assertThat(parts.bodyBytes())
        .isEqualTo(parts.head(0).length + 2 + parts.head(1).length + 500 + parts.tail().length);
    assertThat(MultipartRanges.unsatisfied(7)).isEqualTo("bytes */7");
  }
}
