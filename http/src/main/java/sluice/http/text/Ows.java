package sluice.http.text;

import sluice.memory.View;

/// Skips optional white space, RFC 9110 section 5.6.3. Stateless; any thread may call.
public final class Ows {
  private Ows() {}

  /// Returns the index of the first byte that is not white space, or `to`.
  public static int skip(View view, int from, int to) {
    int i = from;
    while (i < to && is(view.get(i))) {
      i++;
    }
    return i;
  }

  /// Returns the index after the last byte that is not white space, or `from`.
  public static int trim(View view, int from, int to) {
    int i = to;
    while (i > from && is(view.get(i - 1))) {
      i--;
    }
    return i;
  }

  public static int skip(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to && is(bytes[i])) {
      i++;
    }
    return i;
  }

  public static int trim(byte[] bytes, int from, int to) {
    int i = to;
    while (i > from && is(bytes[i - 1])) {
      i--;
    }
    return i;
  }

  private static boolean is(byte b) {
    return b == ' ' || b == '\t';
  }
}
