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

/// What the protocol remembers about a connection between two calls, and where in a request it
/// stands. Owned by the loop's thread.
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
/// A body that is being fed is skipped from where it stands once its request was answered.
///
/// A request that comes whole goes from BETWEEN to where HEAD would have gone.
final class HttpSession implements HandlerSession {
  enum Stage {
    /// No byte of the next request was looked at.
    BETWEEN,
    /// Part of a head has come.
    HEAD,
    /// A head has come, and is looked at again when its body has.
    HELD,
    /// The rest of the body of a request that was answered without it is thrown away.
    SKIPPING,
    /// The body is being collected for a slow handler.
    COLLECTING,
    /// The body goes to a handler as it comes. The request is deferred.
    FEEDING
  }

  private Stage stage = Stage.BETWEEN;

  /// Whether the deadline for the rest of a head, or of a body that is skipped, has been set.
  private boolean timed;

  /// Bytes of the incomplete head that were looked at already.
  private int scanned;

  /// When it was accepted, by the loop's clock.
  long openedNanos;

  /// When input was looked at last, by the loop's clock: while a request is deferred, when it was.
  long deferredNanos;

  /// Requests answered or under way.
  int requests;

  private boolean closing;

  /// Client address, as IPv6.
  long addressHigh;

  long addressLow;

  /// Bytes of a held request, body included, that must be there before it is looked at again.
  private int heldBytes;

  private @Nullable BoundRoute heldFor;

  /// Lines of the access log that wait until their replies have been sent, in their order.
  @Nullable AccessLogRecord logOldest;

  @Nullable AccessLogRecord logNewest;

  private @Nullable Upload upload;
  private @Nullable BodyFeed feed;

  /// Bytes of a fixed-length body still to be skipped.
  private long bodyLeft;

  private @Nullable ChunkedDecoder chunks;

  /// Whether the address is known, which costs a system call.
  private boolean addressKnown;

  /// What a proxy says first; null once it has, and for other clients.
  @Nullable ProxyHeader proxyHeader;

  /// What its address may ask for; null without limits.
  @Nullable ClientAllowance allowance;

  /// Keeps the client's address: for the access log, access rules and limits.
  void noteAddress(Connection connection) {
    if (!addressKnown) {
      addressKnown = true;
      noteAddress(connection.remoteAddress());
    }
  }

  /// The client's address, as a proxy tells it.
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

  /// Returns true if the protocol may take more of the input.
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

  /// Nothing more is answered after the reply under way.
  void close() {
    closing = true;
  }

  private void next() {
    stage = Stage.BETWEEN;
    timed = false;
  }

  // ---- heads --------------------------------------------------------------------------------

  /// Bytes that are no whole head wait for more.
  ///
  /// @param lookedAt how many of them need no second look
  void awaitHead(int lookedAt) {
    stage = Stage.HEAD;
    scanned = lookedAt;
  }

  /// Bytes of the head that need no second look.
  int scanned() {
    return stage == Stage.HEAD ? scanned : 0;
  }

  @Override
  public void hold(BoundRoute route, int messageBytes) {
    stage = Stage.HELD;
    heldFor = route;
    heldBytes = messageBytes;
  }

  /// Whether a request is held of which there is less than it was held for.
  boolean lacks(int bytes) {
    return stage == Stage.HELD && bytes < heldBytes;
  }

  @Override
  public @Nullable BoundRoute heldFor() {
    return stage == Stage.HELD ? heldFor : null;
  }

  /// The request is answered now, or handed over.
  void taken() {
    heldFor = null;
    next();
  }

  /// Whether the client's time for what it has begun is running. It runs from the first byte on:
  /// more bytes do not begin it again.
  boolean timed() {
    return timed;
  }

  /// @return false when it was running
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

  /// Starts skipping what a feed has not taken.
  ///
  /// @return false when that is longer than is worth waiting for, or of unknown length
  boolean skipRest(BodyFeed of, long mostBytes) {
    bodyLeft = of.left();
    stage = bodyLeft > 0 ? Stage.SKIPPING : stage;
    return bodyLeft >= 0 && bodyLeft <= mostBytes;
  }

  /// Starts skipping the body of a request that was answered without it.
  ///
  /// @return false when the body is longer than is worth waiting for
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

  /// Skips what is there of the body.
  ///
  /// @return where the skipping ended in `[from, to]`, or a negative status when it is malformed
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
