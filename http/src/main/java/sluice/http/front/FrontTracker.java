package sluice.http.front;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.BodyKind;
import sluice.http.parse.ChunkedDecoder;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;

/// Follows HTTP/1.x in both directions of one connection to an application, and knows at each
/// moment whether a reply of our own may be put in. Pure: no byte is changed or sent here, and kept
/// only by [KeptReplies].
///
/// ```
/// requests   HEAD ──whole──▶ passed ──▶ BODY ──▶ HEAD          any ──not understood──▶ opaque
///              └──answered by us, while nothing is owed──▶ HEAD
/// replies    one for each request that was passed, in order
/// ```
///
/// **Ordering gate.** [#mayAnswer] holds only while no reply is owed and none is under way, so an
/// answer of ours never overtakes, splits or doubles one of the application. A request that could
/// be answered meanwhile waits in the caller's hands.
///
/// Input may be cut anywhere: what [#look] did not use is shown again, with more behind it. Owned
/// by the loop's thread; parser and request are the loop's and serve all its connections, so
/// [#request] is good until the next call for any of them.
public final class FrontTracker {
  /// Replies that may be owed; further requests wait.
  public static final int MOST_OWED = 256;

  private static final byte TLS_HANDSHAKE = 0x16;

  /// What the bytes of the client are.
  public enum Next {
    /// A whole head: [#request]. The caller calls [#answer] or [#pass].
    REQUEST,
    /// [#bytes] of a request's body: the application's. The caller passes them and calls
    /// [#passedBody] before it looks again.
    BODY,
    /// The beginning of a head: more must come.
    MORE,
    /// Nothing that can be understood before the application has replied.
    WAIT,
    /// The application's, whatever they are; so is all that follows.
    OPAQUE
  }

  private final HttpParser parser;
  private final HttpRequest request;
  private final ReplyFraming reply = new ReplyFraming();

  /// What each request that is owed a reply was, the oldest first, as a ring.
  private byte[] owed = new byte[4];

  /// In the same places; null where the reply is neither kept nor ends what is.
  private @Nullable ReplyCapture[] captures = new ReplyCapture[4];

  private final @Nullable KeptReplies replies;

  private int oldest;
  private int owedCount;
  private boolean first = true;
  private int scanned;
  private int bytes;
  private long bodyLeft;
  private @Nullable ChunkedDecoder chunks;
  private boolean chunked;

  /// The newest request waits for `100 Continue`, and no byte of its body has come.
  private boolean holdsBody;

  /// The newest request may change the protocol.
  private boolean mayChange;

  private @Nullable OpaqueReason reason;

  /// @param request the loop's, filled by [#look]
  /// @param replies where replies of the application are kept; null where none is
  public FrontTracker(HttpParser parser, HttpRequest request, @Nullable KeptReplies replies) {
    this.parser = parser;
    this.request = request;
    this.replies = replies;
  }

  /// Why the connection is the application's alone; null while it is not.
  public @Nullable OpaqueReason reason() {
    return reason;
  }

  /// Whether a reply of our own may be sent now.
  public boolean mayAnswer() {
    return reason == null && owedCount == 0;
  }

  /// Whether all requests so far have been answered in full, and no byte of another has come.
  public boolean isBetweenRequests() {
    return mayAnswer() && !chunked && bodyLeft == 0;
  }

  /// Replies that the application owes.
  public int owed() {
    return owedCount;
  }

  /// The head that [#look] has found.
  public HttpRequest request() {
    return request;
  }

  /// Bytes of the body that [#look] has found, at least 1.
  public int bytes() {
    return bytes;
  }

  // ---- what the client sends ----------------------------------------------------------------

  /// Says what the bytes from `from` on are.
  public Next look(View view, int from, int to) {
    if (reason != null) {
      return Next.OPAQUE;
    }
    if (from == to) {
      return Next.MORE;
    }
    if (chunked) {
      return chunk(view, from, to);
    }
    if (bodyLeft > 0) {
      bytes = (int) Math.min(bodyLeft, to - from);
      return Next.BODY;
    }
    if (mayChange || owedCount == MOST_OWED) {
      return Next.WAIT;
    }
    if (first && view.get(from) == TLS_HANDSHAKE) {
      return opaque(OpaqueReason.TLS);
    }
    int length = parser.parse(view, from, to, scanned, request);
    if (length < 0) {
      return opaque(OpaqueReason.REQUEST);
    }
    scanned = length == HttpParser.INCOMPLETE ? to - from : 0;
    return length == HttpParser.INCOMPLETE ? Next.MORE : Next.REQUEST;
  }

  private Next chunk(View view, int from, int to) {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      throw new AssertionError("a chunked request without its decoder");
    }
    int at = from;
    while (at < to && !decoder.done()) {
      at = decoder.step(view, at, to);
      if (at < 0) {
        return opaque(OpaqueReason.REQUEST_BODY);
      }
    }
    bytes = at - from;
    return Next.BODY;
  }

  /// Makes the connection opaque for a reason that the bytes do not tell.
  public void giveUp(OpaqueReason why) {
    if (reason == null) {
      reason = why;
    }
  }

  private Next opaque(OpaqueReason why) {
    reason = why;
    return Next.OPAQUE;
  }

  /// Whether the request may be answered by us: asks for something, brings nothing. An upgrade that
  /// it offers is declined by the answer (RFC 9110, 7.8); the JDK's own client offers one with each
  /// first request.
  public boolean isAnswerable() {
    return (request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD)
        && request.bodyKind() == BodyKind.NONE;
  }

  /// The request that was found is answered by us. Only while [#mayAnswer] and [#isAnswerable].
  ///
  /// @return bytes of it
  public int answer() {
    if (!mayAnswer() || !isAnswerable()) {
      throw new IllegalStateException("the application owes " + owedCount + " replies");
    }
    first = false;
    if (!request.keepAlive()) {
      reason = OpaqueReason.CLIENT_CLOSES;
    }
    return request.headLength();
  }

  /// The request that was found is the application's.
  ///
  /// @return bytes of its head, which belong to the application
  public int pass() {
    first = false;
    owe(
        switch (request.method()) {
          case HEAD -> ReplyFraming.TO_HEAD;
          case CONNECT -> ReplyFraming.TO_CONNECT;
          default -> 0;
        },
        replies == null ? null : replies.passed(request));
    bodyLeft = request.contentLength();
    chunked = request.bodyKind() == BodyKind.CHUNKED;
    if (chunked) {
      if (chunks == null) {
        chunks = new ChunkedDecoder(Long.MAX_VALUE);
      }
      chunks.reset();
    }
    holdsBody = request.expectsContinue();
    mayChange = request.upgradeOffered() || request.method() == HttpMethod.CONNECT;
    if (!request.keepAlive()) {
      reason = OpaqueReason.CLIENT_CLOSES;
    }
    return request.headLength();
  }

  /// The bytes of the body that were found have gone to the application.
  public void passedBody() {
    holdsBody = false;
    if (chunked) {
      chunked = chunks != null && !chunks.done();
    } else {
      bodyLeft -= bytes;
    }
  }

  private void owe(int kind, @Nullable ReplyCapture capture) {
    if (owedCount == owed.length) {
      byte[] larger = Arrays.copyOf(owed, 2 * owedCount);
      @Nullable ReplyCapture[] more = Arrays.copyOf(captures, 2 * owedCount);
      for (int i = 0; i < owedCount; i++) {
        larger[i] = owed[(oldest + i) % owedCount];
        more[i] = captures[(oldest + i) % owedCount];
      }
      owed = larger;
      captures = more;
      oldest = 0;
    }
    int at = (oldest + owedCount) % owed.length;
    owed[at] = (byte) kind;
    captures[at] = capture;
    owedCount++;
  }

  // ---- what the application writes ----------------------------------------------------------

  /// The application is about to send bytes: what is kept for targets that it may have changed
  /// ends.
  public void beforeReply() {
    if (replies != null) {
      for (int i = 0; i < owedCount; i++) {
        ReplyCapture capture = captures[(oldest + i) % owed.length];
        if (capture != null) {
          capture.beforeReply();
        }
      }
    }
  }

  /// Whether [#beforeHead] is to be called with what is about to be sent.
  public boolean awaitsHead() {
    ReplyCapture capture = owedCount == 0 ? null : captures[oldest];
    return capture != null && capture.awaitsHead();
  }

  /// Ends what is kept for other targets that the reply names which is about to be sent.
  public void beforeHead(View view, int from, int to) {
    ReplyCapture capture = captures[oldest];
    if (capture != null) {
      capture.beforeHead(view, from, to);
    }
  }

  /// Follows bytes that the application has written.
  public void replied(View view, int from, int to) {
    int at = from;
    while (at < to && reason == null) {
      if (owedCount == 0) {
        reason = OpaqueReason.UNSOLICITED;
        return;
      }
      int begun = at;
      at = reply.step(view, at, to, owed[oldest]);
      ReplyCapture capture = captures[oldest];
      if (capture != null) {
        capture.append(view, begun, at);
        if (reply.interim()) {
          capture.restart();
        }
      }
      boolean newest = owedCount == 1;
      if (newest && holdsBody && reply.continued()) {
        holdsBody = false;
      }
      if (reply.reason() != null) {
        reason = reply.reason();
      } else if (newest && holdsBody && reply.begun()) {
        reason = OpaqueReason.NOT_CONTINUED;
      }
      if (reply.ended()) {
        if (capture != null && reply.reason() == null) {
          capture.complete();
        }
        captures[oldest] = null;
        reply.next();
        oldest = (oldest + 1) % owed.length;
        owedCount--;
        mayChange &= !newest;
      }
    }
  }
}
