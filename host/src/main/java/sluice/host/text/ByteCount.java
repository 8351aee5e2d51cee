package sluice.host.text;

import java.util.Locale;

/// Parses numbers of bytes. This class is stateless.
public final class ByteCount {
  private ByteCount() {}

  /// Parses a number of bytes.
  ///
  /// @param text a whole number, optionally followed by k, M, G or T for powers of 1024
  /// @return the number of bytes, or -1 if the text is not valid
  public static long parse(String text) {
    String digits = text.strip().toUpperCase(Locale.ROOT);
    int shift = 0;
    if (!digits.isEmpty()) {
      int unit = "KMGT".indexOf(digits.charAt(digits.length() - 1));
      if (unit >= 0) {
        shift = 10 * (unit + 1);
        digits = digits.substring(0, digits.length() - 1);
      }
    }
    try {
      long number = Long.parseLong(digits);
      return number < 0 || number > Long.MAX_VALUE >> shift ? -1 : number << shift;
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
