package sluice.http.text;

/// Parses and writes ASCII digits, decimal and hexadecimal. Stateless; any thread may call.
public final class Digits {
  /// The number of digits with which any number fits a long.
  private static final int LONG_DIGITS = 18;

  private Digits() {}

  public static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /// Returns the value of the decimal digits in `[from, to)`, or -1 if these are not only 1 to 18
  /// digits.
  public static long decimal(byte[] bytes, int from, int to) {
    if (from == to || to - from > LONG_DIGITS) {
      return -1;
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      if (!isDigit(b)) {
        return -1;
      }
      value = value * 10 + b - '0';
    }
    return value;
  }

  /// Writes a decimal number to the end of `into`.
  ///
  /// @param into of at least 20 bytes
  /// @return the number of bytes written
  public static int put(long value, byte[] into) {
    int at = into.length;
    long rest = value;
    do {
      into[--at] = (byte) ('0' + Math.abs(rest % 10));
      rest /= 10;
    } while (rest != 0);
    if (value < 0) {
      into[--at] = '-';
    }
    return into.length - at;
  }

  /// Returns the value of a hexadecimal digit in either case, 0 to 15, or -1 for every other byte.
  public static int hex(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int letter = b | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
