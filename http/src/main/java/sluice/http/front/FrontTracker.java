package sluice.http.front;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.BodyKind;
import sluice.http.parse.ChunkedDecoder;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;

/// Tracks HTTP/1.x in both directions of a connection to an application, and determines if the loop
/// may currently insert a reply. It neither modifies nor sends any bytes. Only [KeptReplies] stores
/// some of them.
///
/// ```
/// requests   HEAD ──whole──▶ passed ──▶ BODY ──▶ HEAD          any ──not understood──▶ opaque
///              └──answered by us, while nothing is owed──▶ HEAD
/// replies    one for each request that was passed, in order
/// ```
///
/// **Ordering gate.** [#mayAnswer] returns true only while no reply is owed and none is in
/// progress, so that a reply of the loop never overtakes, splits or duplicates a reply of the
/// application. Until then the caller holds back requests that the loop could answer.
///
/// Input may be split at any position. Bytes that [#look] has not consumed are passed again,
/// followed by more. Owned by the loop's thread. The parser and the request belong to the loop and
/// are shared by all its connections, so [#request] is valid until the next call for any of them.
public final class FrontTracker {
  /// The maximum number of replies that may be owed. Further requests must wait.
  public static final int MOST_OWED = 256;

  private static final byte TLS_HANDSHAKE = 0x16;

  /// The kind of the next bytes from the client.
  public enum Next {
    /// A complete head, which is in [#request]. The caller must call [#answer] or [#pass].
    REQUEST,
    /// [#bytes] bytes of a request body for the application. The caller must forward them and call
    /// [#passedBody] before the next call of [#look].
    BODY,
    /// An incomplete head, for which more bytes are required.
    MORE,
    /// Bytes that cannot be interpreted until the application has replied.
    WAIT,
    /// Bytes to be forwarded to the application without interpretation, as are all bytes that
    /// follow.
    OPAQUE
  }

  private final HttpParser parser;
  private final HttpRequest request;
  private final ReplyFraming reply = new ReplyFraming();

  /// The kind of each request whose reply is owed, oldest first, as a ring buffer.
  private byte[] owed = new byte[4];

  /// The captures for these requests, or null if the reply is not cached and invalidates nothing.
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

  /// True while the most recent request waits for `100 Continue` and no byte of its body has
  /// arrived.
  private boolean holdsBody;

  /// True if the most recent request may change the protocol.
  private boolean mayChange;

  private @Nullable OpaqueReason reason;

  /// @param request the request of the loop, which is filled by [#look]
  /// @param replies the cache of the application's replies, or null if there is none
  public FrontTracker(HttpParser parser, HttpRequest request, @Nullable KeptReplies replies) {
    this.parser = parser;
    this.request = request;
    this.replies = replies;
  }

  /// Returns the reason why the connection has become opaque, or null if it has not.
  public @Nullable OpaqueReason reason() {
    return reason;
  }

  /// Returns true if the loop may send a reply now.
  public boolean mayAnswer() {
    return reason == null && owedCount == 0;
  }

  /// Returns true if all requests so far have been answered completely, and no byte of another
  /// request has arrived.
  public boolean isBetweenRequests() {
    return mayAnswer() && !chunked && bodyLeft == 0;
  }

  /// Returns the number of replies that the application owes.
  public int owed() {
    return owedCount;
  }

  /// Returns the head that was found by [#look].
  public HttpRequest request() {
    return request;
  }

  /// Returns the number of bytes of the body that were found by [#look], which is at least 1.
  public int bytes() {
    return bytes;
  }

  // ---- what the client sends ----------------------------------------------------------------

  /// Returns the kind of the bytes that start at `from`.
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

  /// Makes the connection opaque for a reason that cannot be derived from its bytes.
  public void giveUp(OpaqueReason why) {
    if (reason == null) {
      reason = why;
    }
  }

  private Next opaque(OpaqueReason why) {
    reason = why;
    return Next.OPAQUE;
  }

  /// Returns true if the loop may answer the request, which must be a GET or HEAD without a body.
  /// Answering declines an upgrade that the request offers (RFC 9110, 7.8). The JDK's own client
  /// offers one with each first request.
  public boolean isAnswerable() {
    return (request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD)
        && request.bodyKind() == BodyKind.NONE;
  }

  /// Records that the loop answers the current request. Only allowed if [#mayAnswer] and
  /// [#isAnswerable] return true.
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

  /// Records that the current request is forwarded to the application.
  ///
  /// @return the length of its head, which must be forwarded
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

  /// Records that the current bytes of the body have been forwarded to the application.
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

  /// Invalidates the cached replies of targets that the application may have changed. This method
  /// must be called before the application's bytes are sent.
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

  /// Returns true if [#beforeHead] must be called with the bytes that are about to be sent.
  public boolean awaitsHead() {
    ReplyCapture capture = owedCount == 0 ? null : captures[oldest];
    return capture != null && capture.awaitsHead();
  }

  /// Invalidates the cached replies of other targets that the reply names. This method must be
  /// called before the bytes of the reply are sent.
  public void beforeHead(View view, int from, int to) {
    ReplyCapture capture = captures[oldest];
    if (capture != null) {
      capture.beforeHead(view, from, to);
    }
  }

  /// Tracks bytes that the application has written.
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
