package sluice.http.plugin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// A request as a [ViewPlugin] sees it: one view and the positions of its parts, `[from, to)`.
/// Owned by the thread that calls the plug-in; after the plug-in has returned, or in another
/// thread, the view throws.
///
/// ```
/// | method | path | query | name value name value … | body |
/// ```
public final class ViewRequest {
  /// The greatest number of header lines of a request on a loop.
  static final int LINES = 100;

  private static final int STRIDE = 4;

  private final MemorySegment memory;
  private final ViewBinder binder;
  private int[] lines = new int[LINES * STRIDE];
  private int lineCount;
  private int methodTo;
  private int pathTo;
  private int queryFrom;
  private int queryTo;
  private boolean hasQuery;
  private int bodyFrom;
  private int end;

  ViewRequest(MemorySegment memory, Thread owner) {
    this.memory = memory;
    this.binder = new ViewBinder(owner);
  }

  // ---- for the server -----------------------------------------------------------------------

  /// Copies a request that a loop has received, once.
  ///
  /// @return false if it is too long
  boolean begin(HttpRequest request) {
    int base = request.from();
    long bytes = request.headLength() + request.contentLength();
    if (bytes > memory.byteSize() || request.lineCount() > LINES) {
      return false;
    }
    clear();
    View from = request.view();
    methodTo = copy(from, request.methodFrom(), request.methodTo());
    pathTo = copy(from, request.pathFrom(), request.pathTo());
    hasQuery = request.hasQuery();
    queryFrom = end;
    queryTo = copy(from, request.queryFrom(), request.queryTo());
    for (int line = 0; line < request.lineCount(); line++) {
      int nameFrom = end;
      int nameTo = copy(from, request.nameFrom(line), request.nameTo(line));
      int valueTo = copy(from, request.valueFrom(line), request.valueTo(line));
      line(nameFrom, nameTo, valueTo);
    }
    bodyFrom = end;
    int body = base + request.headLength();
    copy(from, body, body + (int) request.contentLength());
    binder.bind(memory, 0, end);
    return true;
  }

  /// Copies a request that was copied before for a thread of a domain.
  void begin(PluginRequest request) {
    clear();
    methodTo = copy(latin1(request.method()));
    pathTo = copy(request.path().getBytes(StandardCharsets.UTF_8));
    String query = request.query();
    hasQuery = query != null;
    queryFrom = end;
    queryTo = copy(latin1(query == null ? "" : query));
    for (Map.Entry<String, List<String>> header : request.headers().entrySet()) {
      for (String value : header.getValue()) {
        int nameFrom = end;
        int nameTo = copy(latin1(header.getKey()));
        line(nameFrom, nameTo, copy(latin1(value)));
      }
    }
    bodyFrom = end;
    copy(request.body());
    binder.bind(memory, 0, end);
  }

  /// Returns the greatest number of bytes that a request needs.
  static long bytes(PluginRequest request) {
    long chars = (long) request.method().length() + request.path().length();
    chars += request.query() == null ? 0 : request.query().length();
    for (Map.Entry<String, List<String>> header : request.headers().entrySet()) {
      for (String value : header.getValue()) {
        chars += (long) header.getKey().length() + value.length();
      }
    }
    return 3 * chars + request.body().length; // a character has at most three bytes in UTF-8
  }

  void end() {
    binder.unbind();
    clear();
  }

  private void clear() {
    lineCount = 0;
    end = 0;
    methodTo = 0;
    pathTo = 0;
    queryFrom = 0;
    queryTo = 0;
    hasQuery = false;
    bodyFrom = 0;
  }

  private void line(int nameFrom, int nameTo, int valueTo) {
    int slot = lineCount++ * STRIDE;
    if (slot == lines.length) {
      lines = Arrays.copyOf(lines, 2 * slot);
    }
    lines[slot] = nameFrom;
    lines[slot + 1] = nameTo;
    lines[slot + 2] = nameTo;
    lines[slot + 3] = valueTo;
  }

  private int copy(View from, int first, int last) {
    from.copyTo(first, memory, end, last - first);
    end += last - first;
    return end;
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private int copy(byte[] bytes) {
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, end, bytes.length);
    end += bytes.length;
    return end;
  }

  // ---- for the plug-in ----------------------------------------------------------------------

  /// Returns the bytes that all indexes refer to.
  public View view() {
    return binder.view();
  }

  public int methodFrom() {
    return 0;
  }

  public int methodTo() {
    return methodTo;
  }

  /// Returns the start of the path, which is percent-decoded, without dot segments, with the prefix
  /// of the plug-in.
  public int pathFrom() {
    return methodTo;
  }

  public int pathTo() {
    return pathTo;
  }

  /// Returns true if the target has a `?`. The query after it may be empty.
  public boolean hasQuery() {
    return hasQuery;
  }

  /// Returns the start of the query as it was sent, without its `?`.
  public int queryFrom() {
    return queryFrom;
  }

  public int queryTo() {
    return queryTo;
  }

  /// Returns the start of the body, which is complete.
  public int bodyFrom() {
    return bodyFrom;
  }

  public int bodyTo() {
    return end;
  }

  /// Returns the next header line with this name, in any case, or -1. Lines with the same name are
  /// in the order in which they were sent.
  ///
  /// @param start the first line to examine: 0, or the one after the last found
  public int findLine(String name, int start) {
    View view = binder.view();
    for (int line = Math.max(0, start); line < lineCount; line++) {
      int from = lines[line * STRIDE];
      if (lines[line * STRIDE + 1] - from == name.length() && isAt(view, name, from)) {
        return line;
      }
    }
    return -1;
  }

  private static boolean isAt(View view, String name, int from) {
    for (int i = 0; i < name.length(); i++) {
      if (lower(name.charAt(i)) != lower((char) (view.get(from + i) & 0xff))) {
        return false;
      }
    }
    return true;
  }

  private static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
  }

  /// Returns the start of a header line's value.
  ///
  /// @throws IndexOutOfBoundsException if there is no such line
  public int valueFrom(int line) {
    return lines[checked(line) * STRIDE + 2];
  }

  /// Returns the end of a header line's value.
  public int valueTo(int line) {
    return lines[checked(line) * STRIDE + 3];
  }

  private int checked(int line) {
    if (line < 0 || line >= lineCount) {
      throw new IndexOutOfBoundsException("no header line " + line + " of " + lineCount);
    }
    return line;
  }
}
