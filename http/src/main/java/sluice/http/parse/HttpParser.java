package sluice.http.parse;

import sluice.http.text.Swar;
import sluice.memory.View;

/// A parser of HTTP/1.1 request heads, as strict as RFC 9112 allows a server to be.
///
/// Stateless apart from its limits; any thread may call, each with its own [HttpRequest]. The
/// parser works on a copy of the head, made in one go: copying costs less than checking the view's
/// owner and bounds for every word. Everything that two recipients could interpret differently is
/// refused: lines that do not end in CRLF, folded lines, white space before a colon, a body framed
/// twice. A repeated Content-Length is refused even if the values agree. A server may refuse
/// everything that RFC 9112 allows it to repair, and a static server gains nothing from repairs.
///
/// Results: the length of the head; 0 if more bytes are needed; otherwise the negative status to
/// refuse with, after which the connection must be closed:
///
/// | result | because |
/// |---|---|
/// | -400 | not HTTP, or ambiguous |
/// | -414 | target longer than the limit |
/// | -431 | head longer than the limit, or too many lines |
/// | -501 | method longer than the limit; a transfer coding besides `chunked` |
/// | -505 | HTTP, but not version 1 |
///
/// Unknown methods are returned as [HttpMethod#OTHER]; how to refuse them depends on the target.
/// Cutting a head into pieces never changes the result for the whole head.
public final class HttpParser {
  public static final int INCOMPLETE = 0;
  public static final int BAD_REQUEST = -400;
  public static final int URI_TOO_LONG = -414;
  public static final int HEAD_TOO_LARGE = -431;
  public static final int NOT_IMPLEMENTED = -501;
  public static final int VERSION_NOT_SUPPORTED = -505;

  /// The length of the first copy. Most heads are shorter, and the bytes behind them may be
  /// pipelined heads, which should not be copied each time.
  private static final int WINDOW_BYTES = 512;

  private final HttpLimits limits;

  public HttpParser(HttpLimits limits) {
    this.limits = limits;
  }

  public HttpLimits limits() {
    return limits;
  }

  /// Parses a head that is new to the parser. A head with the same bytes as the one before it,
  /// which clients often send, is compared instead of parsed.
  public int parse(View view, int from, int to, HttpRequest request) {
    if (request.repeats(view, from, to)) {
      return request.headLength;
    }
    int length = Math.min(to - from, limits.headBytes());
    int window = Math.min(length, WINDOW_BYTES);
    byte[] head = request.head();
    request.reset(view, from);
    view.copyTo(from, head, 0, window);
    int result = parseHead(head, window, request);
    if (result == INCOMPLETE && window < length) {
      request.reset(view, from);
      view.copyTo(from + window, head, window, length - window);
      result = parseHead(head, length, request);
    }
    if (result > INCOMPLETE) {
      request.parsed = result;
    }
    return result == INCOMPLETE && length == limits.headBytes() ? HEAD_TOO_LARGE : result;
  }

  /// Parses a head that was incomplete before. Until the head is whole, only the new bytes are
  /// examined, so a client that sends one byte at a time costs linear, not quadratic time. Errors
  /// in the head may be reported only then, or when it reaches its limit.
  ///
  /// @param scanned `to - from` of the last call for this message, which returned INCOMPLETE
  public int parse(View view, int from, int to, int scanned, HttpRequest request) {
    if (scanned > 0
        && to - from < limits.headBytes()
        && !mayBeComplete(view, from, Math.max(from, from + scanned - 2), to)) {
      return INCOMPLETE;
    }
    return parse(view, from, to, request);
  }

  /// Returns true if there is, from `start` on, a line end that may end the head or is invalid.
  private static boolean mayBeComplete(View view, int from, int start, int to) {
    int lf = view.indexOf((byte) '\n', start, to);
    while (lf >= 0) {
      if (lf == from || view.get(lf - 1) != '\r') {
        return true;
      }
      byte next = lf + 1 < to ? view.get(lf + 1) : 0;
      if (next == '\n' || (next == '\r' && lf + 2 < to)) {
        return true;
      }
      lf = view.indexOf((byte) '\n', lf + 1, to);
    }
    return false;
  }

  /// @param head the bytes; it has room for [HttpRequest#PADDING] more
  private int parseHead(byte[] head, int end, HttpRequest request) {
    // Words may be read beyond the end; no scan goes past a zero.
    Swar.clear(head, end);
    int start = 0;
    if (head[0] == '\r') {
      // RFC 9112 section 2.2: one empty line before the request line is tolerated.
      start = HeaderLines.endOfLine(head, 0, end);
      if (start <= INCOMPLETE) {
        return start;
      }
    }
    int at = RequestLine.parse(head, start, end, limits, request);
    if (at <= INCOMPLETE) {
      return at;
    }
    at = HeaderLines.parse(head, at, end, limits, request);
    if (at <= INCOMPLETE) {
      return at;
    }
    request.headLength = at;
    return finish(request);
  }

  /// Makes the checks that need all lines.
  private static int finish(HttpRequest request) {
    boolean chunked = request.has(Field.TRANSFER_ENCODING);
    if (request.minorVersion > 0 && !request.has(Field.HOST)) {
      return BAD_REQUEST;
    }
    if (chunked && (request.minorVersion == 0 || request.has(Field.CONTENT_LENGTH))) {
      // RFC 9112 section 6.1: an earlier recipient may have read this framing differently.
      return BAD_REQUEST;
    }
    if (chunked) {
      request.bodyKind = BodyKind.CHUNKED;
    } else if (request.contentLength > 0) {
      request.bodyKind = BodyKind.FIXED;
    }
    if (request.form == TargetForm.ORIGIN || request.form == TargetForm.ASTERISK) {
      int line = request.firstLine(Field.HOST);
      if (line >= 0) {
        request.hostFrom = request.lines[line * HttpRequest.STRIDE + 2];
        request.hostTo = request.lines[line * HttpRequest.STRIDE + 3];
      }
    }
    return request.headLength;
  }
}
