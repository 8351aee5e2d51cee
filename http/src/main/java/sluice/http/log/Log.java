package sluice.http.log;

import java.lang.System.Logger;
import java.util.HexFormat;

/// The logger of this module, for messages to the administrator. Any thread may use it. It is
/// looked up lazily when the first line is written, because the look-up would delay startup by
/// about 10 ms.
public final class Log {
  public static final Logger LOGGER = System.getLogger("sluice.http");

  private Log() {}

  /// Returns text from a client in a form that is safe for logs. All bytes except printable ASCII
  /// are escaped as `\xHH`.
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
