package sluice.http.text;

/// ASCII digits, decimal and hexadecimal. Stateless; any thread may call.
public final class Digits {
  private Digits() {}

  public static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /// Value of a hexadecimal digit in either case, 0 to 15, or -1 for every other byte.
  public static int hex(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int letter = b | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
