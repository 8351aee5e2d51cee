package sluice.http.log;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Formats lines of the combined log format in a buffer; [AccessLogTemplate] has other formats.
///
/// Owned by the log's writer thread. Text from clients cannot terminate a field or a line, because
/// quotes, backslashes and all bytes outside printable ASCII are escaped as `\xHH`.
class AccessLogFormat {
  /// The maximum length of a line, if every byte of text is escaped, including space for the other
  /// fields.
  static final int MOST_LINE_BYTES = 4 * AccessLogRing.RECORD_BYTES + 256;

  private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CUT = "...".getBytes(StandardCharsets.US_ASCII);

  private final ByteBuffer out;
  private final DateTimeFormatter formatter;
  private long formattedSecond = Long.MIN_VALUE;
  private byte[] formattedTime = new byte[0];

  /// @param capacity the capacity in bytes, at least [#MOST_LINE_BYTES]
  AccessLogFormat(int capacity, ZoneId zone) {
    out = ByteBuffer.allocate(capacity);
    formatter = DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ROOT).withZone(zone);
  }

  /// Returns true if a line of any length fits into the buffer.
  boolean hasRoom() {
    return out.remaining() >= mostLineBytes();
  }

  int mostLineBytes() {
    return MOST_LINE_BYTES;
  }

  void put(int b) {
    out.put((byte) b);
  }

  /// Returns the formatted lines for writing. The caller must call [#clear] afterwards.
  ByteBuffer lines() {
    return out.flip();
  }

  void clear() {
    out.clear();
  }

  void begin(long addressHigh, long addressLow) {
    ascii(address(addressHigh, addressLow));
    ascii(" - - [");
  }

  static String address(long high, long low) {
    if (high == 0 && low == 0) {
      return "-";
    }
    byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    try {
      return InetAddress.getByAddress(bytes).getHostAddress();
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // 16 bytes are an address
    }
  }

  void time(long epochMillis) {
    long second = Math.floorDiv(epochMillis, 1000L);
    if (second != formattedSecond) {
      formattedSecond = second;
      formattedTime =
          formatter.format(Instant.ofEpochSecond(second)).getBytes(StandardCharsets.US_ASCII);
    }
    out.put(formattedTime);
    out.put((byte) ']');
  }

  /// Appends a field in quotes, which is `-` if the field is empty.
  void quoted(byte[] bytes, int from, int length, boolean cut) {
    ascii(" \"");
    if (length == 0) {
      out.put((byte) '-');
    }
    for (int i = from; i < from + length; i++) {
      int c = bytes[i] & 0xff;
      if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
        ascii("\\x");
        out.put(HEX[c >>> 4]);
        out.put(HEX[c & 15]);
      } else {
        out.put((byte) c);
      }
    }
    if (cut) {
      out.put(CUT);
    }
    out.put((byte) '"');
  }

  void numbers(int status, long bodyBytes) {
    ascii(" " + status + " " + bodyBytes);
  }

  /// Ignores the trace (see [TraceParent]), because the combined format has no field for it.
  void trace(byte[] bytes, int at) {}

  void end() {
    out.put((byte) '\n');
  }

  void ascii(String text) {
    for (int i = 0; i < text.length(); i++) {
      out.put((byte) text.charAt(i));
    }
  }
}
