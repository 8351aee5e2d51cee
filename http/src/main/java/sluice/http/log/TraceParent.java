package sluice.http.log;

import java.nio.charset.StandardCharsets;
import sluice.memory.View;

/// Parses and formats the field `traceparent` of [W3C Trace
/// Context](https://www.w3.org/TR/trace-context/#traceparent-header). It is kept as its numbers, so
/// that no byte of the client reaches a log.
///
/// ```
/// text    version "-" trace-id "-" parent-id "-" flags     in digits 0-9 and a-f
///         2           32           16            2
/// bytes   0 version | 1 trace-id | 17 parent-id | 25 flags
/// ```
///
/// A value is valid if its version is not ff and its identifiers are not all zero. A value of
/// version 00 ends there; in a later version, `-` and more may follow, which is not kept.
/// Stateless: any thread may call.
final class TraceParent {
  static final int BYTES = 26;

  private static final int CHARACTERS = 55;
  private static final int TRACE_ID = 1;
  private static final int PARENT_ID = 17;
  private static final int FLAGS = 25;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private TraceParent() {}

  /// Parses a value without allocating memory.
  ///
  /// @param from the start of the value in the view
  /// @param into receives the numbers, which are all zero if the value is not valid
  static void read(View value, int from, int to, byte[] into, int at) {
    clear(into, at);
    int length = to - from;
    if (length < CHARACTERS) {
      return;
    }
    boolean isRead =
        digits(value, from, into, at, TRACE_ID)
            && digits(value, from + 3, into, at + TRACE_ID, PARENT_ID - TRACE_ID)
            && digits(value, from + 36, into, at + PARENT_ID, FLAGS - PARENT_ID)
            && digits(value, from + 53, into, at + FLAGS, BYTES - FLAGS);
    boolean isSeparated =
        value.get(from + 2) == '-' && value.get(from + 35) == '-' && value.get(from + 52) == '-';
    int version = into[at];
    boolean isEnded = length == CHARACTERS || (version != 0 && value.get(from + CHARACTERS) == '-');
    if (!isRead
        || !isSeparated
        || !isEnded
        || version == (byte) 0xff
        || isZero(into, at + TRACE_ID, at + PARENT_ID)
        || isZero(into, at + PARENT_ID, at + FLAGS)) {
      clear(into, at);
    }
  }

  static void clear(byte[] into, int at) {
    for (int i = at; i < at + BYTES; i++) {
      into[i] = 0;
    }
  }

  private static boolean digits(View value, int from, byte[] into, int at, int bytes) {
    for (int i = 0; i < bytes; i++) {
      int high = digit(value.get(from + 2 * i));
      int low = digit(value.get(from + 2 * i + 1));
      if ((high | low) < 0) {
        return false;
      }
      into[at + i] = (byte) (high << 4 | low);
    }
    return true;
  }

  /// Returns the value of a hexadecimal digit, or a negative number if the byte is not a digit.
  private static int digit(byte c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /// Returns the text of a parsed value, or an empty string if it was missing or invalid.
  static String text(byte[] bytes, int at) {
    if (isZero(bytes, at + TRACE_ID, at + PARENT_ID)) {
      return "";
    }
    byte[] text = new byte[CHARACTERS];
    int next = 0;
    for (int i = 0; i < BYTES; i++) {
      if (i == TRACE_ID || i == PARENT_ID || i == FLAGS) {
        text[next++] = '-';
      }
      text[next++] = HEX[bytes[at + i] >> 4 & 15];
      text[next++] = HEX[bytes[at + i] & 15];
    }
    return new String(text, StandardCharsets.US_ASCII);
  }
}
