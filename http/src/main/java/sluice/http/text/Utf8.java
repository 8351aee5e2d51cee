package sluice.http.text;

/// Validates UTF-8. Stateless; any thread may call.
public final class Utf8 {
  private Utf8() {}

  /// Returns true if `[from, to)` is well-formed: no overlong form, no surrogate, nothing above
  /// U+10FFFF (Unicode table 3-7).
  public static boolean valid(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to) {
      int b = bytes[i] & 0xff;
      if (b < 0x80) {
        i++;
        continue;
      }
      int more = b < 0xc2 ? 0 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : b < 0xf5 ? 3 : 0;
      if (more == 0 || i + more >= to) {
        return false;
      }
      int second = bytes[i + 1] & 0xff;
      int least = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
      int most = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
      if (second < least || second > most) {
        return false;
      }
      for (int k = 2; k <= more; k++) {
        if ((bytes[i + k] & 0xc0) != 0x80) {
          return false;
        }
      }
      i += 1 + more;
    }
    return true;
  }
}
