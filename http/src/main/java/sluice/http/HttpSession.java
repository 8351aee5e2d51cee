package sluice.http;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientAllowance;
import sluice.http.clients.ProxyHeader;
import sluice.http.handlers.BodyFeed;
import sluice.http.handlers.BoundRoute;
import sluice.http.handlers.HandlerSession;
import sluice.http.handlers.Upload;
import sluice.http.log.AccessLogRecord;
import sluice.http.parse.ChunkedDecoder;
import sluice.http.parse.HttpRequest;
import sluice.loop.Connection;
import sluice.memory.View;

/// The state of a connection between two calls of the protocol, including its stage within a
/// request. Owned by the loop's thread.
///
/// ```
///             part of a head          whole, and a handler wants its body with it
///  BETWEEN ───────────────────▶ HEAD ─────────────────────────────────────────────▶ HELD
///     ▲                          │                                                    │
///     │                          ▼  taken: the request is answered or handed over     ▼
///     ├◀─────────────────────────┴────────────────────────────────────────────────────┤
///     ├◀── skipped ────── SKIPPING ◀───── its body has yet to come ───────────────────┤
///     ├◀── collected ──── COLLECTING ◀─── for a handler of whole bodies ──────────────┤
///     └◀── put ────────── FEEDING ◀────── for a handler that reads while it comes ────┘
/// ```
///
/// If a request is answered while its body is being fed, the rest of the body is skipped.
///
/// A request that arrives as a whole changes the stage from BETWEEN directly to the successor of
/// HEAD.
final class HttpSession implements HandlerSession {
  enum Stage {
    /// No byte of the next request has been examined.
    BETWEEN,
    /// Part of a head has arrived.
    HEAD,
    /// A head has arrived and is parsed again after its body has arrived.
    HELD,
    /// The request was answered before its body was read, and the rest of the body is discarded.
    SKIPPING,
    /// The body is being collected for a slow handler.
    COLLECTING,
    /// The body is passed to a handler as it arrives. The request is deferred.
    FEEDING
  }

  private Stage stage = Stage.BETWEEN;

  /// True if the deadline for the rest of a head or of a skipped body has been set.
  private boolean timed;

  /// The number of bytes of the incomplete head that have already been scanned.
  private int scanned;

  /// The time at which the connection was accepted, according to the loop's clock.
  long openedNanos;

  /// The time at which input was last processed, according to the loop's clock. While a request is
  /// deferred, this is the time at which it was deferred.
  long deferredNanos;

  /// The number of requests that have been answered or are in progress.
  int requests;

  private boolean closing;

  /// The first half of the client's address in IPv6 form.
  long addressHigh;

  long addressLow;

  /// The number of bytes of a held request, including its body, that must arrive before it is
  /// parsed again.
  private int heldBytes;

  private @Nullable BoundRoute heldFor;

  /// Lines of the access log that wait until their replies have been sent, in their order.
  @Nullable AccessLogRecord logOldest;

  @Nullable AccessLogRecord logNewest;

  private @Nullable Upload upload;
  private @Nullable BodyFeed feed;

  /// The number of bytes of a fixed-length body that remain to be skipped.
  private long bodyLeft;

  private @Nullable ChunkedDecoder chunks;

  /// True if the address has been determined, which requires a system call.
  private boolean addressKnown;

  /// The parser of a proxy's header, or null after the header and for connections without one.
  @Nullable ProxyHeader proxyHeader;

  /// The allowance of the client's address, or null if there are no limits.
  @Nullable ClientAllowance allowance;

  /// Stores the client's address for the access log, the access rules and the limits.
  void noteAddress(Connection connection) {
    if (!addressKnown) {
      addressKnown = true;
      noteAddress(connection.remoteAddress());
    }
  }

  /// Sets the client's address as reported by a proxy.
  void noteAddress(long high, long low) {
    addressKnown = true;
    addressHigh = high;
    addressLow = low;
  }

  private void noteAddress(@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
      byte[] bytes = inet.getAddress().getAddress();
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      if (bytes.length == Integer.BYTES) {
        addressLow = 0xffff_0000_0000L | (buffer.getInt() & 0xffff_ffffL);
      } else {
        addressHigh = buffer.getLong();
        addressLow = buffer.getLong();
      }
    }
  }

  Stage stage() {
    return stage;
  }

  /// Returns true if the protocol can currently consume more input.
  boolean takesInput(Connection connection) {
    if (stage == Stage.FEEDING) {
      return connection.isOpen() && !connection.inputHeld();
    }
    return connection.isOpen() && !connection.deferred() && !connection.outputFull();
  }

  @Override
  public boolean closing() {
    return closing;
  }

  /// Makes the current reply the last one on this connection.
  void close() {
    closing = true;
  }

  private void next() {
    stage = Stage.BETWEEN;
    timed = false;
  }

  // ---- heads --------------------------------------------------------------------------------

  /// Waits for the rest of an incomplete head.
  ///
  /// @param lookedAt the number of bytes that need not be scanned again
  void awaitHead(int lookedAt) {
    stage = Stage.HEAD;
    scanned = lookedAt;
  }

  /// Returns the number of bytes of the head that need not be scanned again.
  int scanned() {
    return stage == Stage.HEAD ? scanned : 0;
  }

  @Override
  public void hold(BoundRoute route, int messageBytes) {
    stage = Stage.HELD;
    heldFor = route;
    heldBytes = messageBytes;
  }

  /// Returns true if a request is held and fewer bytes than required have arrived.
  boolean lacks(int bytes) {
    return stage == Stage.HELD && bytes < heldBytes;
  }

  @Override
  public @Nullable BoundRoute heldFor() {
    return stage == Stage.HELD ? heldFor : null;
  }

  /// Marks the current request as answered or submitted.
  void taken() {
    heldFor = null;
    next();
  }

  /// Returns true if the deadline for a partially received head or body is running. It starts with
  /// the first byte and is not restarted by further bytes.
  boolean timed() {
    return timed;
  }

  /// Starts the deadline.
  ///
  /// @return false if it was already running
  boolean startTime() {
    boolean starts = !timed;
    timed = true;
    return starts;
  }

  // ---- bodies -------------------------------------------------------------------------------

  @Override
  public @Nullable Upload upload() {
    return upload;
  }

  @Override
  public void collect(Upload into) {
    stage = Stage.COLLECTING;
    upload = into;
  }

  @Override
  public void collected() {
    upload = null;
    next();
  }

  @Override
  public @Nullable BodyFeed feed() {
    return feed;
  }

  @Override
  public void feed(BodyFeed from) {
    stage = Stage.FEEDING;
    feed = from;
  }

  @Override
  public void fed() {
    feed = null;
    next();
  }

  /// Starts skipping the part of a body that a feed has not consumed.
  ///
  /// @return false if that part is longer than `mostBytes`, or if its length is unknown
  boolean skipRest(BodyFeed of, long mostBytes) {
    bodyLeft = of.left();
    stage = bodyLeft > 0 ? Stage.SKIPPING : stage;
    return bodyLeft >= 0 && bodyLeft <= mostBytes;
  }

  /// Starts skipping the body of a request that was answered before its body was read.
  ///
  /// @return false if the body is longer than `mostBytes`
  boolean skipBody(HttpRequest request, long mostBytes) {
    switch (request.bodyKind()) {
      case NONE -> {}
      case FIXED -> {
        bodyLeft = request.contentLength();
        stage = bodyLeft > 0 ? Stage.SKIPPING : stage;
        return bodyLeft <= mostBytes;
      }
      case CHUNKED -> {
        chunks = new ChunkedDecoder(mostBytes);
        stage = Stage.SKIPPING;
      }
    }
    return true;
  }

  /// Skips the part of the body that has arrived.
  ///
  /// @return the end of the skipped part in `[from, to]`, or a negative status if the body is
  ///   malformed
  int skip(View view, int from, int to) {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      int n = (int) Math.min(bodyLeft, to - from);
      bodyLeft -= n;
      if (bodyLeft == 0) {
        next();
      }
      return from + n;
    }
    int at = from;
    while (at >= 0 && at < to && !decoder.done()) {
      at = decoder.step(view, at, to);
    }
    if (decoder.done()) {
      chunks = null;
      next();
    }
    return at;
  }
}
