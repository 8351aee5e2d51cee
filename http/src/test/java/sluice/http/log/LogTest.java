package sluice.http.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What clients sent reaches lines for people without control characters.
final class LogTest {
  @Test
  void allButPrintableAsciiIsEscaped() {
    byte[] sent = "GET /a b\033[2J\u009b\r\n\177é".getBytes(ISO_8859_1);
    assertThat(Log.shown(sent)).isEqualTo("GET /a b\\x1B[2J\\x9B\\x0D\\x0A\\x7F\\xE9");
    assertThat(Log.shown(sent, 4, 6)).isEqualTo("/a");
  }
}
