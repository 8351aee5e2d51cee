package sluice.http.log;

import java.lang.System.Logger;
import java.util.HexFormat;

/// The logger of this module, for messages to the administrator. Any thread may use it. It is
/// looked up when the first line is written, because the look-up takes some 10 ms, which a start
/// does not need.
public final class Log {
  public static final Logger LOGGER = System.getLogger("sluice.http");

  private Log() {}

  /// Returns text from a client for a line of a log: all but printable ASCII as `\xHH`.
  public static String shown(byte[] bytes, int from, int to) {
    StringBuilder text = new StringBuilder(to - from);
    for (int i = from; i < to; i++) {
      int c = bytes[i] & 0xFF;
      if (c < ' ' || c > '~') {
        text.append("\\x").append(HexFormat.of().withUpperCase().toHexDigits(bytes[i]));
      } else {
        text.append((char) c);
      }
    }
    return text.toString();
  }

  public static String shown(byte[] bytes) {
    return shown(bytes, 0, bytes.length);
  }
}
