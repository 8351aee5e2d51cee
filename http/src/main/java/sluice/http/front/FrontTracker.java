package sluice.http.front;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.BodyKind;
import sluice.http.parse.ChunkedDecoder;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;

/// Follows HTTP/1.x in both directions of one connection to an application, and decides if the loop
/// may insert a reply now. It changes and sends no bytes; only [KeptReplies] keeps some.
///
/// ```
/// requests   HEAD ──whole──▶ passed ──▶ BODY ──▶ HEAD          any ──not understood──▶ opaque
///              └──answered by us, while nothing is owed──▶ HEAD
/// replies    one for each request that was passed, in order
/// ```
///
/// **Ordering gate.** [#mayAnswer] returns true only while no reply is owed and none is under way,
/// so a reply of the loop never overtakes, splits or duplicates one of the application. Meanwhile
/// the caller holds back a request that the loop could answer.
///
/// Input may be cut anywhere: bytes that [#look] did not use are shown again, followed by more.
/// Owned by the loop's thread; parser and request belong to the loop and serve all its connections,
/// so [#request] is valid until the next call for any of them.
public final class FrontTracker {
  /// The greatest number of replies that may be owed; further requests wait.
  public static final int MOST_OWED = 256;

  private static final byte TLS_HANDSHAKE = 0x16;

  /// The kind of the client's next bytes.
  public enum Next {
    /// A whole head: [#request]. The caller calls [#answer] or [#pass].
    REQUEST,
    /// [#bytes] bytes of a request's body for the application. The caller passes them and calls
    /// [#passedBody] before it looks again.
    BODY,
    /// The beginning of a head: more must come.
    MORE,
    /// Bytes that cannot be interpreted before the application has replied.
    WAIT,
    /// Bytes for the application, uninterpreted; so are all that follow.
    OPAQUE
  }

  private final HttpParser parser;
  private final HttpRequest request;
  private final ReplyFraming reply = new ReplyFraming();

  /// The kind of each request that is owed a reply, the oldest first, as a ring.
  private byte[] owed = new byte[4];

  /// The captures of the same requests; null if the reply is not kept and invalidates nothing.
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

  /// True while the newest request waits for `100 Continue` and no byte of its body has come.
  private boolean holdsBody;

  /// True if the newest request may change the protocol.
  private boolean mayChange;

  private @Nullable OpaqueReason reason;

  /// @param request the loop's request, filled by [#look]
  /// @param replies the cache of the application's replies; null for none
  public FrontTracker(HttpParser parser, HttpRequest request, @Nullable KeptReplies replies) {
    this.parser = parser;
    this.request = request;
    this.replies = replies;
  }

  /// Returns the reason why the connection belongs to the application alone; null while it does
  /// not.
  public @Nullable OpaqueReason reason() {
    return reason;
  }

  /// Returns true if the loop may send a reply now.
  public boolean mayAnswer() {
    return reason == null && owedCount == 0;
  }

  /// Returns true if all requests so far have been answered in full, and no byte of another has
  /// come.
  public boolean isBetweenRequests() {
    return mayAnswer() && !chunked && bodyLeft == 0;
  }

  /// Returns the number of replies that the application owes.
  public int owed() {
    return owedCount;
  }

  /// Returns the head that [#look] has found.
  public HttpRequest request() {
    return request;
  }

  /// Returns the number of bytes of the body that [#look] has found, at least 1.
  public int bytes() {
    return bytes;
  }

  // ---- what the client sends ----------------------------------------------------------------

  /// Returns the kind of the bytes from `from` on.
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

  /// Makes the connection opaque for a reason that its bytes do not show.
  public void giveUp(OpaqueReason why) {
    if (reason == null) {
      reason = why;
    }
  }

  private Next opaque(OpaqueReason why) {
    reason = why;
    return Next.OPAQUE;
  }

  /// Returns true if the loop may answer the request: it is a GET or HEAD without a body. An answer
  /// declines an upgrade that the request offers (RFC 9110, 7.8); the JDK's own client offers one
  /// with each first request.
  public boolean isAnswerable() {
    return (request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD)
        && request.bodyKind() == BodyKind.NONE;
  }

  /// Records that the loop answers the request found. Only while [#mayAnswer] and [#isAnswerable].
  ///
  /// @return the length of the request
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

  /// Records that the request found goes to the application.
  ///
  /// @return the length of its head, which belongs to the application
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

  /// Records that the bytes of the body found have gone to the application.
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

  /// Invalidates the kept replies of targets that the application may have changed. To be called
  /// before the application's bytes are sent.
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

  /// Returns true if [#beforeHead] has to be called with the bytes that are about to be sent.
  public boolean awaitsHead() {
    ReplyCapture capture = owedCount == 0 ? null : captures[oldest];
    return capture != null && capture.awaitsHead();
  }

  /// Invalidates the kept replies of other targets that the reply names. To be called before its
  /// bytes are sent.
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
