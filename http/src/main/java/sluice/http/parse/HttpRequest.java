package sluice.http.parse;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// The head of one request, as the positions of its parts in the received bytes.
///
/// Owned by one loop, which fills the same object for every request that it parses ([HttpParser]);
/// a handler may read it until it returns. Offsets are stored relative to the start of the message.
///
/// All indexes that methods return are indexes into [#view]; ranges are `[from, to)`.
public final class HttpRequest {
  public static final int STRIDE = 4;

  /// The number of zero bytes after the head in [#head()].
  static final int PADDING = Long.BYTES;

  private static final View NO_BYTES = new ViewBinder(Thread.currentThread()).view();

  View view = NO_BYTES;
  int base;
  HttpMethod method = HttpMethod.OTHER;
  TargetForm form = TargetForm.ORIGIN;
  int minorVersion;
  int headLength;
  int methodFrom;
  int methodTo;
  int targetFrom;
  int targetTo;
  int pathFrom;
  int question;
  int hostFrom;
  int hostTo;
  BodyKind bodyKind = BodyKind.NONE;
  long contentLength;
  boolean connectionClose;
  boolean connectionKeepAlive;
  boolean connectionUpgrade;
  boolean expectContinue;
  boolean expectOther;

  /// The bits of the fields that occur once or more (`seen`), and twice or more (`repeated`).
  int seen;

  int repeated;

  int lineCount;

  /// Four numbers per line: name from, name to, value from, value to.
  final int[] lines;

  /// The index of each line's field, or -1.
  final byte[] lineFields;

  /// The first line of each field; valid if its bit is set in `seen`.
  final int[] firstLines = new int[Field.values().length];

  private final int headBytes;

  /// The length of the head at the front of [#head] that this object describes; 0 for none.
  int parsed;

  /// The parser's buffer; allocated at its first use.
  private byte @Nullable [] head;

  public HttpRequest(HttpLimits limits) {
    headBytes = limits.headBytes();
    lines = new int[limits.headerLines() * STRIDE];
    lineFields = new byte[limits.headerLines()];
  }

  byte[] head() {
    if (head == null) {
      head = new byte[headBytes + PADDING];
    }
    return head;
  }

  /// Returns true if the bytes at `from` equal the head that was parsed last. This object then
  /// describes them, too, and only their position is recorded.
  ///
  /// @param from the possible start of a head
  /// @param to the end of its available bytes
  public boolean repeats(View bytes, int from, int to) {
    byte[] last = head;
    if (last == null
        || parsed == 0
        || to - from < parsed
        || !bytes.startsWith(last, parsed, from)) {
      return false;
    }
    view = bytes;
    base = from;
    return true;
  }

  void reset(View bytes, int from) {
    view = bytes;
    base = from;
    parsed = 0;
    seen = 0;
    repeated = 0;
    lineCount = 0;
    hostFrom = 0;
    hostTo = 0;
    bodyKind = BodyKind.NONE;
    contentLength = 0;
    connectionClose = false;
    connectionKeepAlive = false;
    connectionUpgrade = false;
    expectContinue = false;
    expectOther = false;
  }

  /// Adds a header line by offsets from the start of the message.
  ///
  /// @return its index
  int addLine(int nameFrom, int nameTo, int valueFrom, int valueTo, @Nullable Field field) {
    int line = lineCount++;
    int slot = line * STRIDE;
    lines[slot] = nameFrom;
    lines[slot + 1] = nameTo;
    lines[slot + 2] = valueFrom;
    lines[slot + 3] = valueTo;
    lineFields[line] = (byte) (field == null ? -1 : field.index());
    return line;
  }

  /// Returns the bytes that all indexes refer to.
  public View view() {
    return view;
  }

  /// Returns the start of the message. Its body starts at `from() + headLength()`.
  public int from() {
    return base;
  }

  /// Returns the number of bytes from the start of the message to its body.
  public int headLength() {
    return headLength;
  }

  public HttpMethod method() {
    return method;
  }

  public int methodFrom() {
    return base + methodFrom;
  }

  public int methodTo() {
    return base + methodTo;
  }

  public TargetForm targetForm() {
    return form;
  }

  public int targetFrom() {
    return base + targetFrom;
  }

  public int targetTo() {
    return base + targetTo;
  }

  /// Returns the start of the path as it was sent, not decoded. The path is empty in absolute form
  /// without a path, which means `/`; it is the whole target in authority and asterisk form.
  public int pathFrom() {
    return base + pathFrom;
  }

  public int pathTo() {
    return base + (question < 0 ? targetTo : question);
  }

  /// Returns true if the target has a `?`. The query after it may be empty.
  public boolean hasQuery() {
    return question >= 0;
  }

  /// Returns the start of the query, after the `?`; the range is empty without a query.
  public int queryFrom() {
    return base + (question < 0 ? targetTo : question + 1);
  }

  public int queryTo() {
    return base + targetTo;
  }

  /// Returns the start of the host and port of the request, from the target in absolute form,
  /// otherwise from the Host line. The range is empty in HTTP/1.0 without Host.
  public int hostFrom() {
    return base + hostFrom;
  }

  public int hostTo() {
    return base + hostTo;
  }

  /// Returns 0 or 1; minor versions from 2 on count as 1 (RFC 9110 section 2.5).
  public int minorVersion() {
    return minorVersion;
  }

  /// Returns true if the client lets the connection stay open after the reply, RFC 9112 section
  /// 9.3.
  public boolean keepAlive() {
    return !connectionClose && (minorVersion > 0 || connectionKeepAlive);
  }

  /// Returns true if the client offers to change the protocol; [Field#UPGRADE] names it.
  public boolean upgradeOffered() {
    return connectionUpgrade && minorVersion > 0 && has(Field.UPGRADE);
  }

  public BodyKind bodyKind() {
    return bodyKind;
  }

  /// Returns the length of a FIXED body in bytes, at least 1; 0 for every other kind.
  public long contentLength() {
    return contentLength;
  }

  /// Returns true if there is a body and the client waits for `100 Continue` before it sends it.
  public boolean expectsContinue() {
    return expectContinue && minorVersion > 0 && bodyKind != BodyKind.NONE;
  }

  /// Returns true if the client expects something other than `100-continue`: answer 417.
  public boolean hasUnknownExpectation() {
    return expectOther && minorVersion > 0;
  }

  public boolean has(Field field) {
    return (seen & field.bit()) != 0;
  }

  /// Returns true if there is a line of any of the fields in a mask of [Field#bit].
  public boolean hasAny(int fields) {
    return (seen & fields) != 0;
  }

  /// Returns true if more than one header line has this name.
  public boolean isRepeated(Field field) {
    return (repeated & field.bit()) != 0;
  }

  /// Returns the first header line of this name, or -1. [#nextLine] returns the others.
  public int firstLine(Field field) {
    return has(field) ? firstLines[field.index()] : -1;
  }

  /// Returns the next header line of the same [Field] as `line`, or -1.
  public int nextLine(int line) {
    byte field = lineFields[line];
    if (field < 0 || (repeated >>> field & 1) == 0) {
      return -1;
    }
    for (int i = line + 1; i < lineCount; i++) {
      if (lineFields[i] == field) {
        return i;
      }
    }
    return -1;
  }

  /// Returns the positions of the header lines: a copy of [#STRIDE] numbers for each.
  public int[] linePlaces() {
    return Arrays.copyOf(lines, lineCount() * STRIDE);
  }

  /// Returns the number of header lines. A line is identified by its index, from 0 in the order
  /// received.
  public int lineCount() {
    return lineCount;
  }

  public int nameFrom(int line) {
    return base + lines[line * STRIDE];
  }

  public int nameTo(int line) {
    return base + lines[line * STRIDE + 1];
  }

  /// Returns the start of the value, without the white space around it.
  public int valueFrom(int line) {
    return base + lines[line * STRIDE + 2];
  }

  public int valueTo(int line) {
    return base + lines[line * STRIDE + 3];
  }

  /// Returns the first header line with this name, in any case, or -1. Allocates nothing.
  ///
  /// @param name in ISO-8859-1
  public int findLine(String name) {
    return findLine(name, 0);
  }

  /// Returns the first such line from `start` on; see [#findLine(String)].
  public int findLine(String name, int start) {
    for (int line = start; line < lineCount; line++) {
      int from = nameFrom(line);
      if (nameTo(line) - from == name.length() && equalsIgnoreCase(name, from)) {
        return line;
      }
    }
    return -1;
  }

  private boolean equalsIgnoreCase(String name, int from) {
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

  /// Returns the value of the first header line with this name, or null. Allocates, so hot paths
  /// should not call it.
  public @Nullable String header(String name) {
    int line = findLine(name);
    return line < 0 ? null : view.latin1(valueFrom(line), valueTo(line));
  }

  /// Returns the request line without its version, for logs. Allocates.
  @Override
  public String toString() {
    byte[] bytes = new byte[targetTo - methodFrom];
    if (view.length() < base + targetTo) {
      return "request whose bytes are gone";
    }
    view.copyTo(base + methodFrom, bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
