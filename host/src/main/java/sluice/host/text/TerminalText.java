package sluice.host.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/// Escapes names and messages for a terminal. The names in an image are chosen by its creator, and
/// control characters in these names could move the cursor, change the screen or begin a new line.
/// This class is stateless.
///
/// Names are escaped in the same way as by `ls -b` of GNU, except that blanks are not escaped. The
/// escape sequences are `\n`, `\t` and so on, `\033` for other bytes, and `\\` for a backslash.
/// Each name therefore occupies one line, and different names are displayed differently.
public final class TerminalText {
  private static final String LETTERS = "abtnvfr"; // for the codes 7 to 13
  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;

  private TerminalText() {}

  /// Escapes a name in an image, including bytes that are not valid UTF-8.
  public static String name(byte[] name) {
    StringBuilder text = new StringBuilder(name.length);
    for (int at = 0; at < name.length; ) {
      int length = Math.min(sequenceBytes(name[at]), name.length - at);
      byte[] bytes = Arrays.copyOfRange(name, at, at + length);
      String one = new String(bytes, UTF_8);
      boolean isText = Arrays.equals(one.getBytes(UTF_8), bytes);
      if (isText && isShown(one.codePointAt(0))) {
        text.append(one.equals("\\") ? "\\\\" : one);
      } else {
        escape(text, bytes, isText ? length : 1);
      }
      at += isText ? length : 1;
    }
    return text.toString();
  }

  /// Escapes a message that may consist of several lines. All control characters except newlines
  /// are escaped.
  public static String message(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          if (c == '\n' || isShown(c)) {
            shown.appendCodePoint(c);
          } else {
            byte[] bytes = Character.toString(c).getBytes(UTF_8);
            escape(shown, bytes, bytes.length);
          }
        });
    return shown.toString();
  }

  /// Escapes a text that must fit on one line, such as a path in an exception of the JDK.
  public static String line(String text) {
    return message(text).replace("\n", "\\n");
  }

  private static int sequenceBytes(byte first) {
    int ones = Integer.numberOfLeadingZeros(~(first << 24));
    return ones >= 2 && ones <= 4 ? ones : 1;
  }

  /// Returns false for control characters, including those above 127, and for characters that
  /// change the text direction. The two zero-width joiners are allowed because they are used in
  /// names.
  private static boolean isShown(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> c == ZERO_WIDTH_NON_JOINER || c == ZERO_WIDTH_JOINER;
      default -> true;
    };
  }

  private static void escape(StringBuilder text, byte[] bytes, int count) {
    for (int i = 0; i < count; i++) {
      int b = bytes[i] & 0xFF;
      text.append('\\');
      if (b >= 7 && b <= 13) {
        text.append(LETTERS.charAt(b - 7));
      } else {
        text.append((char) ('0' + (b >> 6)));
        text.append((char) ('0' + (b >> 3 & 7)));
        text.append((char) ('0' + (b & 7)));
      }
    }
  }
}
