package sluice.http.front;

import org.jspecify.annotations.Nullable;
import sluice.http.parse.ChunkedDecoder;
import sluice.http.text.AsciiSet;
import sluice.http.text.Digits;
import sluice.http.text.Ows;
import sluice.memory.View;

/// Tracks the replies of an application as they are written, including heads, interim replies and
/// bodies (RFC 9112, 6.3). Each instance belongs to one connection.
///
/// ```
/// HEAD ──1xx──▶ HEAD
///   ├──no body──▶ ended     ├──length──▶ FIXED ──▶ ended     └──chunked──▶ CHUNKED ──▶ ended
/// ```
///
/// Only four fields of a head are relevant. At most [#LINE_BYTES] of a line are stored, and at most
/// [#HEAD_BYTES] of a head are tracked.
final class ReplyFraming {
  /// The request was `HEAD`, so its reply has no body.
  static final int TO_HEAD = 1;

  /// The request was `CONNECT`.
  static final int TO_CONNECT = 2;

  static final int HEAD_BYTES = 64 << 10;
  static final int LINE_BYTES = 1 << 10;

  private static final int STATUS_FROM = "HTTP/1.1 ".length();
  private static final int STATUS_TO = STATUS_FROM + 3;

  private enum State {
    HEAD,
    FIXED,
    CHUNKED
  }

  private State state = State.HEAD;
  private final byte[] line = new byte[LINE_BYTES];

  /// The length of the current line, including bytes that were not stored.
  private int lineBytes;

  private boolean lastWasReturn;
  private int headBytes;
  private int status;
  private int minorVersion;
  private long contentLength;
  private boolean coded;
  private boolean chunked;
  private boolean saysClose;
  private boolean saysKeepAlive;
  private long bodyLeft;
  private @Nullable ChunkedDecoder chunks;

  private boolean continued;
  private boolean interim;
  private boolean begun;
  private boolean ended;
  private @Nullable OpaqueReason reason;

  ReplyFraming() {
    clearHead();
  }

  private void clearHead() {
    headBytes = 0;
    lineBytes = 0;
    lastWasReturn = false;
    status = 0;
    contentLength = -1;
    coded = false;
    chunked = false;
    saysClose = false;
    saysKeepAlive = false;
  }

  /// Prepares for the next reply.
  void next() {
    state = State.HEAD;
    clearHead();
    continued = false;
    begun = false;
    ended = false;
  }

  /// Returns true if `100 Continue` was seen.
  boolean continued() {
    return continued;
  }

  /// Returns true if the last step ended with an interim reply.
  boolean interim() {
    return interim;
  }

  /// Returns true if the head of the final reply is complete.
  boolean begun() {
    return begun;
  }

  /// Returns true if the final reply is complete.
  boolean ended() {
    return ended;
  }

  /// Returns the reason why no further bytes can be tracked, or null if they can. A reason that
  /// closes the connection is set when the reply has [#ended], or when the reply is terminated by
  /// the close.
  @Nullable OpaqueReason reason() {
    return reason;
  }

  /// Tracks bytes until a final or interim reply has ended, a reason is set, or all bytes have been
  /// consumed.
  ///
  /// @param to the kind of the request, which is [#TO_HEAD], [#TO_CONNECT] or 0
  /// @return the index after the last byte that was consumed
  int step(View view, int from, int end, int to) {
    int at = from;
    interim = false;
    while (at < end && !ended && !interim && reason == null) {
      at =
          switch (state) {
            case HEAD -> head(view, at, end, to);
            case FIXED -> fixed(at, end);
            case CHUNKED -> chunked(view, at, end);
          };
    }
    return at;
  }

  // ---- bodies -------------------------------------------------------------------------------

  private int fixed(int at, int end) {
    int count = (int) Math.min(bodyLeft, end - at);
    bodyLeft -= count;
    if (bodyLeft == 0) {
      end();
    }
    return at + count;
  }

  private int chunked(View view, int at, int end) {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      throw new AssertionError("a chunked reply without its decoder");
    }
    int next = decoder.step(view, at, end);
    if (next < 0) {
      reason = OpaqueReason.REPLY_BODY;
      return at;
    }
    if (decoder.done()) {
      end();
    }
    return next;
  }

  private void end() {
    ended = true;
    if (saysClose || (minorVersion == 0 && !saysKeepAlive)) {
      reason = OpaqueReason.SERVER_CLOSES;
    }
  }

  // ---- heads --------------------------------------------------------------------------------

  private int head(View view, int at, int end, int to) {
    int lf = view.indexOf((byte) '\n', at, end);
    int upTo = lf < 0 ? end : lf;
    int count = upTo - at;
    int kept = Math.min(count, Math.max(0, LINE_BYTES - lineBytes));
    if (kept > 0) {
      view.copyTo(at, line, lineBytes, kept);
    }
    if (count > 0) {
      lastWasReturn = view.get(upTo - 1) == '\r';
    }
    lineBytes += count;
    headBytes += count;
    if (headBytes > HEAD_BYTES) {
      reason = OpaqueReason.REPLY;
    }
    if (lf < 0) {
      return end;
    }
    headBytes++;
    if (lastWasReturn && reason == null) {
      line(lineBytes - 1, to);
    } else {
      reason = OpaqueReason.REPLY; // a bare LF ends a line for some recipients only
    }
    lineBytes = 0;
    lastWasReturn = false;
    return lf + 1;
  }

  private void line(int length, int to) {
    if (status == 0) {
      statusLine(length);
    } else if (length == 0) {
      headEnds(to);
    } else if (!field(length)) {
      reason = OpaqueReason.REPLY;
    }
  }

  private void statusLine(int length) {
    boolean good =
        length >= STATUS_TO
            && length <= LINE_BYTES
            && starts("HTTP/1.")
            && Digits.isDigit(line[STATUS_FROM - 2])
            && line[STATUS_FROM - 1] == ' '
            && (length == STATUS_TO || line[STATUS_TO] == ' ');
    int number = good ? (int) Digits.decimal(line, STATUS_FROM, STATUS_TO) : -1;
    if (number < 100) {
      reason = OpaqueReason.REPLY;
      return;
    }
    status = number;
    minorVersion = line[STATUS_FROM - 2] - '0';
  }

  private boolean starts(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (line[i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /// @return false if the field is ambiguous
  private boolean field(int length) {
    int kept = Math.min(length, LINE_BYTES);
    int colon = 0;
    while (colon < kept && AsciiSet.TOKEN.has(line[colon])) {
      colon++;
    }
    if (colon == 0 || colon == kept || line[colon] != ':') {
      return false; // folded, without a colon, or with white space before it
    }
    boolean isLength = is(0, colon, "content-length");
    boolean isCoding = is(0, colon, "transfer-encoding");
    boolean isConnection = is(0, colon, "connection");
    if (!isLength && !isCoding && !isConnection) {
      return true;
    }
    if (length > LINE_BYTES) {
      return false;
    }
    int from = Ows.skip(line, colon + 1, length);
    int until = Ows.trim(line, from, length);
    if (isLength) {
      return length(from, until);
    }
    if (isCoding) {
      boolean first = !coded;
      coded = true;
      chunked = is(from, until, "chunked");
      return first;
    }
    connection(from, until);
    return true;
  }

  private boolean length(int from, int until) {
    boolean first = contentLength < 0;
    contentLength = Digits.decimal(line, from, until);
    return first && contentLength >= 0;
  }

  private void connection(int from, int until) {
    int at = from;
    while (at < until) {
      int comma = at;
      while (comma < until && line[comma] != ',') {
        comma++;
      }
      int first = Ows.skip(line, at, comma);
      int last = Ows.trim(line, first, comma);
      saysClose |= is(first, last, "close");
      saysKeepAlive |= is(first, last, "keep-alive");
      at = comma + 1;
    }
  }

  /// @param lower the expected text, in lower case
  private boolean is(int from, int until, String lower) {
    if (until - from != lower.length()) {
      return false;
    }
    for (int i = 0; i < lower.length(); i++) {
      byte b = line[from + i];
      if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != lower.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void headEnds(int to) {
    if (coded && (contentLength >= 0 || minorVersion == 0)) {
      reason = OpaqueReason.REPLY;
    } else if (status == 101) {
      reason = OpaqueReason.UPGRADED;
    } else if (status < 200) {
      boolean toContinue = continued || status == 100;
      clearHead();
      continued = toContinue;
      interim = true;
    } else {
      begun = true;
      body(to);
    }
  }

  private void body(int to) {
    if (to == TO_CONNECT && status < 300) {
      reason = OpaqueReason.CONNECTED;
    } else if (to == TO_HEAD || status == 204 || status == 304) {
      end();
    } else if (chunked) {
      state = State.CHUNKED;
      if (chunks == null) {
        chunks = new ChunkedDecoder(Long.MAX_VALUE);
      }
      chunks.reset();
    } else if (coded || contentLength < 0) {
      reason = OpaqueReason.SERVER_CLOSES; // the reply ends with the connection
    } else if (contentLength == 0) {
      end();
    } else {
      state = State.FIXED;
      bodyLeft = contentLength;
    }
  }
}
