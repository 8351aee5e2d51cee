package sluice.http.parse;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.http.text.Digits;
import sluice.http.text.Utf8;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// Makes the path of a request canonical: percent-decoded UTF-8 without dot segments, so that one
/// file has one name (RFC 3986 sections 2.1, 5.2.4 and 6.2.2).
///
/// Owned by one loop, which fills the same object for every request.
///
/// | in the path | answer |
/// |---|---|
/// | `%` without two hexadecimal digits | 400 |
/// | a control character, `%00` among them | 400 |
/// | bytes that are not UTF-8 | 400 |
/// | more `..` than there are segments | 400 |
/// | `%2F`, `\`, `%5C` | 404: no file name has them, and some file systems would read a separator |
/// | `//` | is `/`, as nginx and Apache have it by default (`merge_slashes`, `MergeSlashes`) |
///
/// Segments are decoded before dot segments are removed, so `%2e%2e` is `..`. Empty segments are
/// dropped, so `/a//../b` is `/b`. A path that ends in a dot segment ends in `/`, like `/a/..`,
/// which is `/`.
public final class RequestPath {
  public static final int BAD_REQUEST = -400;
  public static final int NOT_FOUND = -404;

  private final byte[] bytes;
  private int length;

  /// @param capacity longest path in bytes: the limit of the request target is enough
  public RequestPath(int capacity) {
    bytes = new byte[capacity + 1];
  }

  /// Returns the canonical form of a path.
  ///
  /// @return null if the path is invalid
  public static @Nullable String canonical(byte[] path) {
    RequestPath into = new RequestPath(path.length);
    ViewBinder binder = new ViewBinder(Thread.currentThread());
    View view = binder.bind(MemorySegment.ofArray(path), 0, path.length);
    return into.parse(view, 0, path.length) < 0 ? null : into.toString();
  }

  /// Returns the canonical path, of which [#length] bytes are valid. It starts with `/`. Not a
  /// copy.
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /// Decodes the path of a request. An empty path, which absolute form allows, is `/`.
  ///
  /// @return the length of the canonical path, or the negative status to refuse with
  public int parse(HttpRequest request) {
    return parse(request.view(), request.pathFrom(), request.pathTo());
  }

  /// Decodes a path.
  ///
  /// @throws ArrayIndexOutOfBoundsException if the path is longer than the capacity
  public int parse(View view, int from, int to) {
    length = 1;
    bytes[0] = '/';
    if (from == to) {
      return length;
    }
    if (view.get(from) != '/') {
      return BAD_REQUEST;
    }
    int at = from + 1;
    while (at <= to) {
      int slash = view.indexOf((byte) '/', at, to);
      int end = slash < 0 ? to : slash;
      int wrong = segment(view, at, end, slash < 0);
      if (wrong != 0) {
        return wrong;
      }
      at = end + 1;
    }
    return length;
  }

  /// Returns true if a path can name a file with this name. Other files may exist, but no request
  /// reaches them.
  public static boolean names(byte[] file) {
    for (byte b : file) {
      if ((b >= 0 && b < ' ') || b == 0x7f || b == '\\') {
        return false;
      }
    }
    return Utf8.valid(file, 0, file.length);
  }

  /// Appends one segment, and the slash after it unless it is the last.
  ///
  /// @return 0 or the status to refuse with
  private int segment(View view, int from, int to, boolean last) {
    int start = length;
    boolean ascii = true;
    boolean strange = false;
    for (int i = from; i < to; i++) {
      byte b = view.get(i);
      if (b == '%') {
        int high = i + 2 < to ? Digits.hex(view.get(i + 1)) : -1;
        int low = i + 2 < to ? Digits.hex(view.get(i + 2)) : -1;
        if ((high | low) < 0) {
          return BAD_REQUEST;
        }
        b = (byte) (high << 4 | low);
        i += 2;
        strange |= b == '/';
      }
      if ((b >= 0 && b < ' ') || b == 0x7f) {
        return BAD_REQUEST;
      }
      strange |= b == '\\';
      ascii &= b >= 0;
      bytes[length++] = b;
    }
    if (!ascii && !Utf8.valid(bytes, start, length)) {
      return BAD_REQUEST;
    }
    if (strange) {
      return NOT_FOUND;
    }
    if (from == to && !last) {
      return 0;
    }
    return finish(start, last) ? 0 : BAD_REQUEST;
  }

  /// Removes dot segments that were appended.
  ///
  /// @return false if there is no parent
  private boolean finish(int start, boolean last) {
    int count = length - start;
    if (count == 1 && bytes[start] == '.') {
      length = start;
      return true;
    }
    if (count == 2 && bytes[start] == '.' && bytes[start + 1] == '.') {
      return toParent(start);
    }
    if (!last) {
      bytes[length++] = '/';
    }
    return true;
  }

  private boolean toParent(int start) {
    if (start == 1) {
      return false;
    }
    length = start - 1;
    while (bytes[length - 1] != '/') {
      length--;
    }
    return true;
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
