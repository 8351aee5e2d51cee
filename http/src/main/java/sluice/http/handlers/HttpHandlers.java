package sluice.http.handlers;

import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import sluice.http.log.Log;
import sluice.http.parse.BodyKind;
import sluice.http.parse.HttpRequest;
import sluice.http.reply.HttpReplies;
import sluice.http.text.Latin1;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.RunningHandler;
import sluice.memory.Account;
import sluice.memory.View;

/// Dispatches requests to the handlers of their routes. Owned by the thread of one loop.
///
/// The interruptlet of a route is invoked first, on the loop's thread. A request that it does not
/// answer is passed to the slow handler with a copy of its head and body. Bodies are collected by
/// this class within the limits of the route and of the loop.
public final class HttpHandlers {
  /// The maximum size of a body that is held for an interruptlet until it is complete.
  static final int HELD_BODY_BYTES = 16 << 10;

  /// The result of [#handle] for a request that must be answered by the site.
  public static final int NOT_MINE = -1;

  /// The minimum rate of an upload in bytes per second, which applies in addition to the header
  /// timeout.
  private static final int UPLOAD_RATE = 16 << 10;

  /// The maximum memory that the slow requests of one loop may occupy.
  private static final long SLOW_BYTES = 128L << 20;

  private static final byte[] CONTINUE = Latin1.bytes("HTTP/1.1 100 Continue\r\n\r\n");

  private final HttpExchanges http;
  private final Loop loop;
  private final RunningHandler running;
  private final HttpReplies replies;
  private final HttpRequest request;
  private final HttpReply reply;
  private final Account account;
  private final long headerNanos;

  /// @param request the object that holds the most recently parsed request
  /// @param headerNanos the timeout for a head, to which the time for a body is added
  public HttpHandlers(
      HttpExchanges http, Loop loop, HttpRequest request, HttpReplies replies, long headerNanos) {
    this.http = http;
    this.loop = loop;
    this.running = loop.handler();
    this.request = request;
    this.replies = replies;
    this.reply = new HttpReply(replies);
    this.account = new Account(loop.name() + " slow requests", SLOW_BYTES);
    this.headerNanos = headerNanos;
  }

  // ---- requests -----------------------------------------------------------------------------

  /// Returns true if the interruptlet needs more of the body of the most recently parsed request
  /// than has arrived. The request is then held.
  ///
  /// @param body the index of its body in the input
  public boolean waits(BoundRoute route, Connection connection, int body, int end) {
    if (!isShown(route) || route.guard.disabled() || isWhole(route, body, end)) {
      return false;
    }
    HandlerSession session = http.session(connection);
    boolean first = session.heldFor() == null;
    if (first && body == end && request.expectsContinue()) {
      connection.output().put(CONTINUE);
    }
    session.hold(route, (int) (body + request.contentLength() - request.from()));
    return true;
  }

  /// Handles the most recently parsed request.
  ///
  /// @param body the index of its body in the input
  /// @return the index after the consumed bytes, or [#NOT_MINE] if the request must be answered by
  ///   the site
  public int handle(BoundRoute route, Connection connection, View input, int body, int end) {
    HttpInterruptlet interruptlet = route.interruptlet;
    boolean refused = interruptlet != null && route.guard.disabled();
    if (interruptlet != null && !refused && isShown(route)) {
      refused = !isWhole(route, body, end); // it was enabled after `waits`
      if (!refused && run(route, interruptlet, connection)) {
        return route.dropsBodies() ? body : (int) (body + request.contentLength());
      }
    }
    HttpDeferred slow = route.route.deferred();
    if (slow != null) {
      return startSlow(route, slow, connection, input, body, end);
    }
    if (refused) {
      http.refuseRequest(connection, 503, HttpReplies.RETRY);
      return body;
    }
    return NOT_MINE;
  }

  /// Returns true if the route has an interruptlet that accepts requests of this kind.
  private boolean isShown(BoundRoute route) {
    return route.interruptlet != null
        && (request.bodyKind() == BodyKind.NONE
            || route.dropsBodies()
            || (request.bodyKind() == BodyKind.FIXED
                && request.contentLength() <= HELD_BODY_BYTES));
  }

  private boolean isWhole(BoundRoute route, int body, int end) {
    return route.dropsBodies() || body + request.contentLength() <= end;
  }

  /// @return true if the interruptlet has answered the request
  private boolean run(BoundRoute route, HttpInterruptlet interruptlet, Connection connection) {
    boolean keep =
        route.dropsBodies()
            ? http.keepAfterBody(connection)
            : request.keepAlive() && !http.session(connection).closing();
    byte[] field = HttpReplies.connectionField(keep, request.minorVersion());
    reply.begin(connection, request, field);
    boolean done;
    route.guard.enter(running);
    try {
      done = interruptlet.handle(request, reply);
      if (done) {
        reply.finish();
      } else {
        reply.discard();
      }
    } catch (RuntimeException | Error e) {
      reply.discard();
      route.guard.times().failed();
      Log.LOGGER.log(
          Level.ERROR, () -> "the interruptlet of " + route.route.prefix() + " failed", e);
      http.finish(connection, 500, HttpReplies.NONE, keep);
      return true;
    } finally {
      route.guard.exit(running);
    }
    if (done) {
      replies.counts().interruptlets++;
      http.replied(connection, keep && !reply.closes());
    }
    return done;
  }

  // ---- the way to the slow handler ----------------------------------------------------------

  private int startSlow(
      BoundRoute route, HttpDeferred slow, Connection connection, View input, int at, int end) {
    boolean chunked = request.bodyKind() == BodyKind.CHUNKED;
    long announced = chunked ? -1 : request.contentLength();
    if (request.bodyKind() != BodyKind.NONE && slow.streamsBodies()) {
      return startStreamed(slow, connection, input, at, end, announced);
    }
    int limit = route.route.bodyBytes();
    if (announced > limit) {
      http.refuseRequest(connection, 413, HttpReplies.NONE);
      return at;
    }
    if (!account.tryCharge(request.headLength())) {
      http.refuseRequest(connection, 503, HttpReplies.RETRY);
      return at;
    }
    HttpMessage message = new HttpMessage(request);
    if (request.bodyKind() == BodyKind.NONE) {
      defer(connection, slow, message, request.headLength());
      return at;
    }
    if (at == end && request.expectsContinue()) {
      connection.output().put(CONTINUE);
    }
    http.session(connection).collect(new Upload(route, message, account, announced));
    long atRate = (chunked ? limit : announced) * 1_000_000_000L / UPLOAD_RATE;
    connection.deadline(headerNanos + atRate);
    return collect(connection, input, at, end);
  }

  /// Starts a handler while the body is still arriving.
  private int startStreamed(
      HttpDeferred handler, Connection connection, View input, int at, int end, long announced) {
    int charged = request.headLength() + BodyFeed.ringBytes(announced);
    if (!account.tryCharge(charged)) {
      http.refuseRequest(connection, 503, HttpReplies.RETRY);
      return at;
    }
    boolean asksFirst = at == end && request.expectsContinue();
    BodyFeed feed = new BodyFeed(connection, announced, headerNanos, UPLOAD_RATE);
    HttpMessage message = new HttpMessage(request).withStream(feed.body());
    int next = feed.take(input, at, end);
    if (next < 0) {
      account.refund(charged);
      http.refuse(connection, -next, message.head());
      return end;
    }
    HandlerSession session = http.session(connection);
    if (!feed.done()) {
      session.feed(feed);
    }
    defer(connection, handler, message, charged);
    if (connection.deferred() && session.feed() != null) {
      if (asksFirst) {
        connection.output().put(CONTINUE);
      }
      connection.feedDeferred(true);
      if (!connection.inputHeld()) {
        feed.begin();
      }
    } else if (asksFirst) {
      connection.close(); // it has its final status, and may or may not send the body
    }
    return next;
  }

  /// Consumes more of a body that is passed to a handler as it arrives.
  ///
  /// @return the index after the consumed bytes
  public int feed(Connection connection, View input, int from, int end) {
    HandlerSession session = http.session(connection);
    BodyFeed feed = session.feed();
    if (feed == null) {
      throw new IllegalStateException("no body is under way");
    }
    int at = feed.take(input, from, end);
    if (at < 0) {
      boolean _ = cutShort(connection, -at);
      return end;
    }
    if (feed.done()) {
      endFeed(connection, session);
      connection.deadline(0);
    }
    return at;
  }

  /// Ends the current body, if there is one, because the rest of it will not arrive. Either the
  /// request is refused, or the handler that reads the body answers. The connection is closed after
  /// the reply.
  ///
  /// @return false if there is no current body
  public boolean cutShort(Connection connection, int status) {
    HandlerSession session = http.session(connection);
    Upload upload = session.upload();
    if (upload != null) {
      abandon(session);
      http.refuse(connection, status, upload.head());
      return true;
    }
    BodyFeed feed = session.feed();
    if (feed == null) {
      return false;
    }
    feed.broken(status);
    endFeed(connection, session);
    connection.deadline(0);
    connection.refuseInput();
    return true;
  }

  /// Ends the feed of a request that was answered while its body was still arriving.
  ///
  /// @return the feed for the rest of the body, or null if there is none
  public @Nullable BodyFeed answeredEarly(Connection connection) {
    HandlerSession session = http.session(connection);
    BodyFeed feed = session.feed();
    if (feed != null) {
      endFeed(connection, session);
      feed.over();
    }
    return feed;
  }

  private static void endFeed(Connection connection, HandlerSession session) {
    session.fed();
    connection.feedDeferred(false);
  }

  /// Consumes more of the body that is being uploaded.
  ///
  /// @return the index after the consumed bytes
  public int collect(Connection connection, View input, int from, int end) {
    HandlerSession session = http.session(connection);
    Upload upload = session.upload();
    HttpDeferred slow = upload == null ? null : upload.route.route.deferred();
    if (upload == null || slow == null) {
      throw new IllegalStateException("no upload is under way");
    }
    int at = upload.take(input, from, end);
    if (at < 0) {
      boolean _ = cutShort(connection, -at);
      return end;
    }
    if (upload.done()) {
      session.collected();
      defer(connection, slow, upload.complete(), upload.charged());
    }
    return at;
  }

  /// Abandons the current body if there is one.
  public void abandon(HandlerSession session) {
    BodyFeed feed = session.feed();
    if (feed != null) {
      session.fed();
      feed.broken(0);
    }
    Upload upload = session.upload();
    if (upload != null) {
      session.collected();
      account.refund(upload.charged());
    }
  }

  private void defer(
      Connection connection, HttpDeferred handler, HttpMessage message, long chargedBytes) {
    replies.counts().slow++;
    SlowReply slowReply = new SlowReply(http, replies, message);
    SlowCall call = new SlowCall(message, slowReply, connection.defer(), account, chargedBytes);
    switch (handler) {
      case HttpSlowHandler slow -> {
        try {
          loop.handlerPath().execute(() -> call.run(slow));
        } catch (RejectedExecutionException e) {
          call.reject();
        }
      }
      case HttpAsyncHandler async -> call.give(async, loop);
    }
  }
}
