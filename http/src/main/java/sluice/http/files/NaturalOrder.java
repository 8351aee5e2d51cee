package sluice.http.files;

import java.util.Arrays;
import java.util.Comparator;

/// An order of file names in which `file 2` precedes `file 10`. Consecutive digits are compared as
/// a number of any length. All other characters are compared byte by byte as unsigned numbers,
/// which is the order of code points in UTF-8, except that ASCII letters are compared
/// case-insensitively. The order is independent of the locale. If names are equal by these rules
/// (`a01`, `A1`), they are compared by their bytes, so that only identical names compare as equal.
///
/// Stateless, so any thread may use it. A comparison allocates nothing.
final class NaturalOrder implements Comparator<byte[]> {
  static final NaturalOrder ORDER = new NaturalOrder();

  private NaturalOrder() {}

  @Override
  public int compare(byte[] one, byte[] other) {
    int i = 0;
    int j = 0;
    while (i < one.length && j < other.length) {
      if (isDigit(one[i]) && isDigit(other[j])) {
        int oneFrom = afterZeros(one, i);
        int otherFrom = afterZeros(other, j);
        i = afterDigits(one, oneFrom);
        j = afterDigits(other, otherFrom);
        int longer = Integer.compare(i - oneFrom, j - otherFrom);
        int order =
            longer != 0 ? longer : Arrays.compareUnsigned(one, oneFrom, i, other, otherFrom, j);
        if (order != 0) {
          return order;
        }
      } else {
        int order = Integer.compare(folded(one[i++]), folded(other[j++]));
        if (order != 0) {
          return order;
        }
      }
    }
    int order = Integer.compare(one.length - i, other.length - j);
    return order != 0 ? order : Arrays.compareUnsigned(one, other);
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static int afterZeros(byte[] name, int from) {
    int at = from;
    while (at < name.length && name[at] == '0') {
      at++;
    }
    return at;
  }

  private static int afterDigits(byte[] name, int from) {
    int at = from;
    while (at < name.length && isDigit(name[at])) {
      at++;
    }
    return at;
  }

  private static int folded(byte b) {
    return b >= 'A' && b <= 'Z' ? b | 0x20 : b & 0xff;
  }
}
