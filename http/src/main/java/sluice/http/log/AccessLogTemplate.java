package sluice.http.log;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import sluice.http.text.Utf8;

/// Formats lines of an access log according to a template with variables, such as `{address}
/// {request} {status}`. Owned by the log's writer thread.
///
/// Variables: `address`, `time` (ISO 8601), `request` (the first line), `method`, `target`,
/// `status`, `bytes` (sent bytes of the body), `referrer`, `agent`, `traceparent` (if it is valid).
/// Text from clients cannot terminate a line or a quoted field, because it is escaped as in the
/// combined format, or by the rules of JSON.
final class AccessLogTemplate extends AccessLogFormat {
  static final String COMBINED = "combined";
  static final String JSON = "json";

  private static final String JSON_LINE =
      "{\"time\":\"{time}\",\"address\":\"{address}\",\"method\":\"{method}\","
          + "\"target\":\"{target}\",\"request\":\"{request}\",\"status\":{status},"
          + "\"bytes\":{bytes},\"referrer\":\"{referrer}\",\"agent\":\"{agent}\","
          + "\"traceparent\":\"{traceparent}\"}";

  private static final List<String> VARIABLES =
      List.of(
          "address",
          "time",
          "request",
          "method",
          "target",
          "status",
          "bytes",
          "referrer",
          "agent",
          "traceparent");

  private static final int MOST_PARTS = 32;
  private static final int MOST_CHARACTERS = 1024;

  /// The maximum number of characters to which a byte is escaped in JSON.
  private static final int MOST_ESCAPED = 6;

  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  /// A part of the template, which is literal text if `variable` is null.
  private record Part(@Nullable String variable, String text) {}

  private final List<Part> parts;
  private final boolean json;
  private final int mostLineBytes;
  private final DateTimeFormatter formatter;
  private final byte[][] texts = new byte[3][];
  private int textCount;
  private String address = "";
  private String time = "";
  private String trace = "";
  private long second = Long.MIN_VALUE;
  private int status;
  private long bodyBytes;

  private AccessLogTemplate(List<Part> parts, boolean json, int capacity, ZoneId zone) {
    super(capacity, zone);
    this.parts = parts;
    this.json = json;
    this.mostLineBytes =
        MOST_CHARACTERS + parts.size() * MOST_ESCAPED * AccessLogRing.MOST_LINE_BYTES + 64;
    this.formatter =
        DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX", Locale.ROOT).withZone(zone);
  }

  /// Returns the format for a style.
  ///
  /// @param style `combined`, `json`, or the template of a line
  /// @throws IllegalArgumentException if it contains an unknown variable or is too long
  static AccessLogFormat format(String style, int capacity, ZoneId zone) {
    if (style.equals(COMBINED)) {
      return new AccessLogFormat(capacity, zone);
    }
    boolean json = style.equals(JSON);
    return new AccessLogTemplate(parts(json ? JSON_LINE : style), json, capacity, zone);
  }

  private static List<Part> parts(String line) {
    if (line.length() > MOST_CHARACTERS || !line.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw new IllegalArgumentException(
          "a log format is combined, json, or at most 1024 characters of printable ASCII");
    }
    List<Part> parts = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int at = 0; at < line.length(); ) {
      int end = line.charAt(at) == '{' ? line.indexOf('}', at) : -1;
      String name = end < 0 ? "" : line.substring(at + 1, end);
      if (VARIABLES.contains(name)) {
        parts.add(new Part(null, text.toString()));
        parts.add(new Part(name, ""));
        text.setLength(0);
        at = end + 1;
      } else if (name.matches("[a-z_-]+")) {
        throw new IllegalArgumentException(
            "a log format has no {" + name + "}, but " + String.join(", ", VARIABLES));
      } else {
        text.append(line.charAt(at++));
      }
    }
    parts.add(new Part(null, text.toString()));
    if (parts.size() == 1 || parts.size() > 2 * MOST_PARTS + 1) {
      throw new IllegalArgumentException(
          "a log format is combined, json, or a text with 1 to 32 variables such as {status}: "
              + line);
    }
    return parts;
  }

  @Override
  int mostLineBytes() {
    return mostLineBytes;
  }

  @Override
  void begin(long addressHigh, long addressLow) {
    address = address(addressHigh, addressLow);
    textCount = 0;
  }

  @Override
  void time(long epochMillis) {
    long now = Math.floorDiv(epochMillis, 1000L);
    if (now != second) {
      second = now;
      time = formatter.format(Instant.ofEpochSecond(now));
    }
  }

  @Override
  void quoted(byte[] bytes, int from, int length, boolean cut) {
    byte[] text = Arrays.copyOfRange(bytes, from, from + length + (cut ? 3 : 0));
    if (cut) {
      Arrays.fill(text, length, length + 3, (byte) '.');
    }
    texts[textCount++] = text;
  }

  @Override
  void numbers(int replyStatus, long sentBytes) {
    status = replyStatus;
    bodyBytes = sentBytes;
  }

  @Override
  void trace(byte[] bytes, int at) {
    trace = TraceParent.text(bytes, at);
  }

  @Override
  void end() {
    for (Part part : parts) {
      if (part.variable == null) {
        ascii(part.text);
      } else {
        variable(part.variable);
      }
    }
    put('\n');
  }

  private void variable(String name) {
    byte[] line = texts[0];
    int first = indexOf(line, 0);
    int last = first;
    for (int i = indexOf(line, first + 1); i >= 0; i = indexOf(line, i + 1)) {
      last = i;
    }
    switch (name) {
      case "address" -> ascii(address);
      case "time" -> ascii(time);
      case "status" -> ascii(Integer.toString(status));
      case "bytes" -> ascii(Long.toString(bodyBytes));
      case "request" -> text(line, 0, line.length);
      case "method" -> text(line, 0, Math.max(first, 0));
      case "target" -> text(line, first + 1, last > first ? last : line.length);
      case "traceparent" -> ascii(trace.isEmpty() && !json ? "-" : trace);
      case "referrer" -> text(texts[1], 0, texts[1].length);
      default -> text(texts[2], 0, texts[2].length);
    }
  }

  private static int indexOf(byte[] line, int from) {
    for (int i = Math.max(from, 0); i < line.length; i++) {
      if (line[i] == ' ') {
        return i;
      }
    }
    return -1;
  }

  private void text(byte[] bytes, int from, int to) {
    if (from >= to && !json) {
      put('-');
    }
    for (int i = from; i < to; i++) {
      int c = bytes[i] & 0xff;
      int character = json && c >= 0x80 ? character(bytes, i, to) : 0;
      if (character > 0) {
        for (int end = i + character; i < end; i++) {
          put(bytes[i]);
        }
        i--;
      } else if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
        put(c);
      } else {
        ascii(json ? "\\u00" : "\\x");
        put(HEX[c >>> 4]);
        put(HEX[c & 15]);
      }
    }
  }

  /// Returns the length of the multi-byte character at `at`, or 0 if it is not valid UTF-8 or is a
  /// control character (U+0080 to U+009F).
  private static int character(byte[] bytes, int at, int to) {
    int first = bytes[at] & 0xff;
    int count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    boolean control = first == 0xc2 && at + 1 < to && (bytes[at + 1] & 0xff) < 0xa0;
    return !control && at + count <= to && Utf8.valid(bytes, at, at + count) ? count : 0;
  }
}
