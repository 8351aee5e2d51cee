package sluice.http.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AccessLogTemplateTest {
  private static final ZoneId UTC = ZoneId.of("UTC");

  private static String line(String style, String request, String referrer, String agent) {
    AccessLogFormat format = AccessLogTemplate.format(style, 256 << 10, UTC);
    assertThat(format.hasRoom()).isTrue();
    format.begin(0, 0xffff_0a00_0001L);
    format.time(1_000_000_000_123L);
    quoted(format, request);
    format.numbers(200, 5);
    quoted(format, referrer);
    quoted(format, agent);
    format.end();
    ByteBuffer bytes = format.lines();
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  private static void quoted(AccessLogFormat format, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    format.quoted(bytes, 0, bytes.length, false);
  }

  @Test
  void variables() {
    assertThat(
            line(
                "{time} {address} {method} {target} {status} {bytes} \"{referrer}\" \"{agent}\" {}",
                "GET /a b HTTP/1.1",
                "",
                "x\"\n\u00e4"))
        .isEqualTo("2001-09-09T01:46:40Z 10.0.0.1 GET /a b 200 5 \"-\" \"x\\x22\\x0A\\xE4\" {}\n");
    assertThat(line("{method}|{target}|{request}", "garbage", "", ""))
        .isEqualTo("-|garbage|garbage\n");
    assertThat(line("combined", "GET / HTTP/1.1", "", "a"))
        .isEqualTo(
            "10.0.0.1 - - [09/Sep/2001:01:46:40 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"a\"\n");
  }

  /// Bytes of a text in UTF-8, as [#quoted] takes them.
  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  @Test
  void jsonHasUtf8AsItIsAndOtherBytesEscaped() {
    String letters = "\u00fcml\u00e4ut \u6f22 \ud83d\ude00";
    assertThat(
            line("json", "GET / HTTP/1.1", bytes(letters), "\u00fc\u00e2\u0082 \u00ed\u00a0\u0080"))
        .contains(",\"referrer\":\"" + letters + "\",")
        .contains(
            ",\"agent\":\"\\u00FC\\u00E2\\u0082 \\u00ED\\u00A0\\u0080\",\"traceparent\":\"\"}");
    assertThat(line("json", "GET / HTTP/1.1", bytes("\u0085"), bytes("\u00a0")))
        .contains("\"\\u00C2\\u0085\"")
        .contains("\"\u00a0\"");
  }

  @Test
  void jsonHasNoWayOut() {
    assertThat(line("json", "GET /\",\"x\":1 HTTP/1.1", "\\", "\u0001\n"))
        .isEqualTo(
            "{\"time\":\"2001-09-09T01:46:40Z\",\"address\":\"10.0.0.1\",\"method\":\"GET\","
                + "\"target\":\"/\\u0022,\\u0022x\\u0022:1\","
                + "\"request\":\"GET /\\u0022,\\u0022x\\u0022:1 HTTP/1.1\","
                + "\"status\":200,\"bytes\":5,\"referrer\":\"\\u005C\","
                + "\"agent\":\"\\u0001\\u000A\",\"traceparent\":\"\"}\n");
  }

  @Test
  void theLongestLineFitsIntoTheRoom() {
    AccessLogFormat format = AccessLogTemplate.format("{request}".repeat(32), 256 << 10, UTC);
    byte[] line = new byte[AccessLogRing.MOST_LINE_BYTES];
    Arrays.fill(line, (byte) 1);
    for (int i = 0; i < 2 && format.hasRoom(); i++) {
      format.begin(1, 1);
      format.time(0);
      format.quoted(line, 0, line.length, true);
      format.numbers(200, Long.MAX_VALUE);
      format.quoted(line, 0, 0, false);
      format.quoted(line, 0, 0, false);
      format.end();
    }
    assertThat(format.lines().remaining()).isGreaterThan(32 * 4 * line.length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nothing", "{nothing}", "{status}\n", "{status}\u00e4"})
  void noFormats(String style) {
    assertThatThrownBy(() -> AccessLogTemplate.format(style, 1, UTC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a log format");
  }
}
