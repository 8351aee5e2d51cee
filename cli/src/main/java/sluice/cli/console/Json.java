package sluice.cli.console;

import java.util.List;
import java.util.Map;

/// Formats maps, lists, strings, numbers and booleans as JSON. This class is stateless.
public final class Json {
  private Json() {}

  /// Formats a value as one line of JSON.
  ///
  /// @param value a `Map` with string keys, a `List`, a `String`, a `Number` or a `Boolean`
  public static String of(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    switch (value) {
      case Map<?, ?> map -> {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.append(separator);
          writeString(String.valueOf(entry.getKey()), out);
          out.append(':');
          write(entry.getValue(), out);
          separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
      }
      case List<?> list -> {
        String separator = "[";
        for (Object element : list) {
          out.append(separator);
          write(element, out);
          separator = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
      }
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      default -> writeString(value.toString(), out);
    }
  }

  private static void writeString(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        default -> {
          if (c < ' ' || Character.isSurrogate(c)) {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
