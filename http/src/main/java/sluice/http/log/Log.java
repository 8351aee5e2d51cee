package sluice.http.log;

import java.lang.System.Logger;
import java.util.HexFormat;

/// Where this module writes what an administrator should know. Any thread may use it; it is found
/// when the first line is written, because finding it costs some 10 ms, which a start has no need
/// of.
public final class Log {
  public static final Logger LOGGER = System.getLogger("sluice.http");

  private Log() {}

  /// What a client sent, in a line of a log: all but printable ASCII as `\xHH`.
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
