package sluice.http.parse;

import sluice.http.text.Ows;
import sluice.memory.View;

/// Compares entity tags and lists of them, RFC 9110 sections 8.8.3 and 13.1.
///
/// Stateless, so any thread may call it. Nothing is allocated. A tag is represented as it is sent,
/// which is `"x"`, or `W/"x"` if it is weak.
public final class ETags {
  private ETags() {}

  /// Returns true if the tag in `[from, to)` equals `tag` and both are strong.
  public static boolean strongMatch(View view, int from, int to, byte[] tag) {
    return tag[0] == '"' && to - from == tag.length && view.startsWith(tag, from);
  }

  /// Returns true if the tags are equal apart from a `W/` on either side.
  public static boolean weakMatch(View view, int from, int to, byte[] tag) {
    int start = from + opaqueStart(view, from, to);
    int tagStart = tag[0] == '"' ? 0 : 2;
    if (to - start != tag.length - tagStart) {
      return false;
    }
    for (int i = tagStart; i < tag.length; i++) {
      if (view.get(start + i - tagStart) != tag[i]) {
        return false;
      }
    }
    return true;
  }

  /// Returns true if the list in an If-Match or If-None-Match field contains `tag`, or is `*`.
  ///
  /// All lines of the field form a single list. If the list is malformed, no tags after the error
  /// match. If-Match then fails and If-None-Match results in a complete reply, which is safe in
  /// both cases.
  ///
  /// @param strong true for the strong comparison (If-Match), false for the weak one
  ///   (If-None-Match)
  public static boolean listMatches(HttpRequest request, Field field, byte[] tag, boolean strong) {
    View view = request.view();
    for (int line = request.firstLine(field); line >= 0; line = request.nextLine(line)) {
      int from = request.valueFrom(line);
      int to = request.valueTo(line);
      if (to - from == 1 && view.get(from) == '*') {
        return !request.isRepeated(field);
      }
      if (lineMatches(view, from, to, tag, strong)) {
        return true;
      }
    }
    return false;
  }

  private static boolean lineMatches(View view, int from, int to, byte[] tag, boolean strong) {
    int at = from;
    while (at < to) {
      byte b = view.get(at);
      if (b == ',' || b == ' ' || b == '\t') {
        at++;
        continue;
      }
      int end = tagEnd(view, at, to);
      if (end < 0) {
        return false;
      }
      int next = Ows.skip(view, end, to);
      if (next < to && view.get(next) != ',') {
        return false;
      }
      if (strong ? strongMatch(view, at, end, tag) : weakMatch(view, at, end, tag)) {
        return true;
      }
      at = next;
    }
    return false;
  }

  /// Returns the index after the entity tag that starts at `from`, or -1 if there is none.
  static int tagEnd(View view, int from, int to) {
    int at = from + opaqueStart(view, from, to);
    if (at >= to || view.get(at) != '"') {
      return -1;
    }
    int quote = view.indexOf((byte) '"', at + 1, to);
    for (int i = at + 1; i < quote; i++) {
      byte b = view.get(i);
      if (b == ' ' || ChunkedDecoder.isControl(b) || b == '\t') {
        return -1;
      }
    }
    return quote < 0 ? -1 : quote + 1;
  }

  private static int opaqueStart(View view, int from, int to) {
    return to - from >= 2 && view.get(from) == 'W' && view.get(from + 1) == '/' ? 2 : 0;
  }
}
