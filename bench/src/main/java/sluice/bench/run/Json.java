package sluice.bench.run;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads and writes JSON of maps, lists, strings, numbers, booleans and null, as far as result
/// files and the load generator need it. Confined to the calling thread.
public final class Json {
  private static final int DIGITS = 7;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  // ---- writing ------------------------------------------------------------------------------

  /// Returns a value as one line. Fractions are written with 7 significant digits.
  ///
  /// @throws IllegalArgumentException for values that JSON cannot express
  public static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, @Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case String s -> quote(out, s);
      case Boolean b -> out.append(b.booleanValue());
      case Integer n -> out.append(n.intValue());
      case Long n -> out.append(n.longValue());
      case Double d -> out.append(number(d));
      case Map<?, ?> map -> {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.append(separator);
          quote(out, String.valueOf(entry.getKey()));
          write(out.append(':'), entry.getValue());
          separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
      }
      case List<?> list -> {
        String separator = "[";
        for (Object item : list) {
          write(out.append(separator), item);
          separator = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
      }
      default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
    }
  }

  private static String number(double d) {
    if (Double.isNaN(d) || Double.isInfinite(d)) {
      return "null";
    }
    BigDecimal rounded = new BigDecimal(d, new MathContext(DIGITS)).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.toBigInteger().toString() : rounded.toPlainString();
  }

  private static void quote(StringBuilder out, String s) {
    out.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  // ---- reading ------------------------------------------------------------------------------

  /// Parses a value. Objects become maps that keep their order, numbers [Double].
  ///
  /// @throws IllegalArgumentException with the offset of the error
  static @Nullable Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.skipBlanks();
    if (json.at < text.length()) {
      throw json.unexpected();
    }
    return value;
  }

  /// Parses text that must be an object; see [#parse].
  @SuppressWarnings("unchecked") // every object parsed here has string keys
  public static Map<String, Object> parseObject(String text) {
    if (parse(text) instanceof Map<?, ?> map) {
      return (Map<String, Object>) map;
    }
    throw new IllegalArgumentException("not a JSON object: " + text);
  }

  private IllegalArgumentException unexpected() {
    String what = at < text.length() ? "'" + text.charAt(at) + "'" : "end";
    return new IllegalArgumentException("JSON: unexpected " + what + " at offset " + at);
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean take(char c) {
    skipBlanks();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!take(c)) {
      throw unexpected();
    }
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw unexpected();
    }
    at += word.length();
    return value;
  }

  private @Nullable Object value() {
    skipBlanks();
    if (at == text.length()) {
      throw unexpected();
    }
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> numberValue();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    expect('{');
    if (take('}')) {
      return map;
    }
    do {
      skipBlanks();
      String key = string();
      expect(':');
      map.put(key, value());
    } while (take(','));
    expect('}');
    return map;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> list = new ArrayList<>();
    expect('[');
    if (take(']')) {
      return list;
    }
    do {
      list.add(value());
    } while (take(','));
    expect(']');
    return list;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      out.append(c == '\\' ? escape() : c);
    }
    expect('"');
    return out.toString();
  }

  private char escape() {
    if (at == text.length()) {
      throw unexpected();
    }
    char c = text.charAt(at++);
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case '"', '\\', '/' -> c;
      case 'u' -> unicode();
      default -> {
        at--;
        throw unexpected();
      }
    };
  }

  private char unicode() {
    if (at + 4 > text.length()) {
      throw unexpected();
    }
    at += 4;
    return (char) Integer.parseInt(text, at - 4, at, 16);
  }

  private Double numberValue() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw unexpected();
    }
    return Double.valueOf(text.substring(start, at));
  }
}
