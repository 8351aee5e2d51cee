package sluice.http.front;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpDate;

/// The parsed head of a captured reply that is complete and well framed. It is owned by the thread
/// that reads it.
final class ReplyHead {
  /// The connection-specific fields (RFC 9110, 7.6.1), and those that are generated for each hit.
  private static final Set<String> NOT_KEPT =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authentication-info",
          "te",
          "upgrade",
          "age");

  /// The fields that a 304 also contains (RFC 9110, 15.4.5).
  private static final Set<String> OF_NOT_MODIFIED =
      Set.of("cache-control", "content-location", "date", "etag", "expires", "vary");

  private record Line(String name, String value, String text) {}

  private final String statusLine;
  private final List<Line> lines = new ArrayList<>();

  /// @param head status line and fields
  private ReplyHead(String head) {
    String[] parts = head.split("\r\n", -1);
    statusLine = parts[0];
    for (int i = 1; i < parts.length; i++) {
      int colon = parts[i].indexOf(':');
      lines.add(
          new Line(
              parts[i].substring(0, colon).toLowerCase(Locale.ROOT),
              parts[i].substring(colon + 1).strip(),
              parts[i]));
    }
  }

  /// Parses a head.
  ///
  /// @return the head, or null if it is incomplete or a line is not a field
  static @Nullable ReplyHead of(byte[] bytes, int count) {
    String text = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      return null;
    }
    String head = text.substring(0, end);
    boolean good = head.lines().skip(1).allMatch(line -> line.indexOf(':') > 0);
    return good ? new ReplyHead(head) : null;
  }

  /// Returns the number of bytes that precede the body.
  int length() {
    int length = statusLine.length() + 4;
    for (Line line : lines) {
      length += line.text.length() + 2;
    }
    return length;
  }

  boolean isOk() {
    return statusLine.startsWith("HTTP/1.1 200");
  }

  boolean has(String name) {
    return lines.stream().anyMatch(line -> line.name.equals(name));
  }

  /// Returns the members of a list-valued field from all its lines, in lower case.
  List<String> members(String name) {
    List<String> members = new ArrayList<>();
    for (Line line : lines) {
      if (line.name.equals(name)) {
        for (String member : line.value.split(",", -1)) {
          String stripped = member.strip().toLowerCase(Locale.ROOT);
          if (!stripped.isEmpty()) {
            members.add(stripped);
          }
        }
      }
    }
    return members;
  }

  /// Returns the values of all lines of a field.
  List<String> values(String name) {
    return lines.stream().filter(line -> line.name.equals(name)).map(Line::value).toList();
  }

  /// Returns the value of a field that occurs exactly once, or an empty string otherwise.
  String value(String name) {
    List<String> values = values(name);
    return values.size() == 1 ? values.getFirst() : "";
  }

  /// Returns the directives of Cache-Control with their arguments, which are empty if absent.
  ///
  /// @return the directives, or null if a directive is repeated or contains a quoted comma, which
  ///   cannot be parsed
  @Nullable Map<String, String> cacheControl() {
    Map<String, String> directives = new LinkedHashMap<>();
    for (String member : members("cache-control")) {
      int equals = member.indexOf('=');
      String name = equals < 0 ? member : member.substring(0, equals).strip();
      String argument = equals < 0 ? "" : member.substring(equals + 1).strip();
      boolean quoted = argument.startsWith("\"");
      if (quoted && (argument.length() < 2 || !argument.endsWith("\""))) {
        return null;
      }
      String plain = quoted ? argument.substring(1, argument.length() - 1) : argument;
      if (directives.put(name, plain) != null) {
        return null;
      }
    }
    return directives;
  }

  /// Returns this head with a date, which a cached reply must have (RFC 9110, 6.6.1).
  ///
  /// @param nowSeconds the time at which the reply was received, in seconds since 1970
  ReplyHead dated(long nowSeconds) {
    if (has("date")) {
      return this;
    }
    String date = new String(HttpDate.format(nowSeconds), StandardCharsets.ISO_8859_1);
    StringBuilder text = new StringBuilder(statusLine);
    lines.forEach(line -> text.append("\r\n").append(line.text));
    return new ReplyHead(text.append("\r\nDate: ").append(date).toString());
  }

  /// Returns the status line and the fields that are stored.
  byte[] kept() {
    Set<String> left = new HashSet<>(NOT_KEPT);
    left.addAll(members("connection"));
    return text(statusLine, line -> !left.contains(line.name));
  }

  /// Returns the status line and the fields of a 304.
  byte[] notModified() {
    Set<String> left = new HashSet<>(members("connection"));
    return text(
        "HTTP/1.1 304 Not Modified",
        line -> OF_NOT_MODIFIED.contains(line.name) && !left.contains(line.name));
  }

  private byte[] text(String first, java.util.function.Predicate<Line> wanted) {
    StringBuilder text = new StringBuilder(first).append("\r\n");
    for (Line line : lines) {
      if (wanted.test(line)) {
        text.append(line.text).append("\r\n");
      }
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
