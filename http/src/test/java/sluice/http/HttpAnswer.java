package sluice.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A reply as a client has read it.
///
/// @param fields header lines without CRLF, as they came
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpAnswer(int status, List<String> fields, byte[] body) {
  HttpAnswer withBody(byte[] bytes) {
    return new HttpAnswer(status, fields, bytes);
  }

  /// Value of the only line of that name, or null.
  @Nullable String field(String name) {
    List<String> values = values(name);
    if (values.size() > 1) {
      throw new AssertionError(name + " is there more than once: " + fields);
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  private List<String> values(String name) {
    String prefix = name.toLowerCase(Locale.ROOT) + ": ";
    return fields.stream()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .toList();
  }

  /// Value of a line that must be there.
  String the(String name) {
    String value = field(name);
    if (value == null) {
      throw new AssertionError("no " + name + " in " + status + " " + fields);
    }
    return value;
  }

  long contentLength() {
    return Long.parseLong(the("Content-Length"));
  }

  boolean closes() {
    return "close".equals(field("Connection"));
  }

  String text() {
    return new String(body, StandardCharsets.ISO_8859_1);
  }

  /// The field names and values that do not depend on when the reply was made.
  List<String> lastingFields() {
    return fields.stream().filter(line -> !line.startsWith("Date: ")).toList();
  }
}
