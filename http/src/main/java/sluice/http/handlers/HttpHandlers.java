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

/// Passes requests to the handlers of their routes. Owned by one loop's thread.
///
/// An interruptlet is called first, in place. Requests that it leaves go to the slow handler with a
/// copy of head and body; bodies are collected here, within the limits of the route and of the
/// loop.
public final class HttpHandlers {
  /// The longest body that is held until it is complete, for an interruptlet.
  static final int HELD_BODY_BYTES = 16 << 10;

  /// The result of [#handle] for a request that the site answers.
  public static final int NOT_MINE = -1;

  /// The slowest upload that is waited for, in bytes a second, in addition to the header timeout.
  private static final int UPLOAD_RATE = 16 << 10;

  /// The memory that slow requests of one loop may hold.
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

  /// @param request the request that was parsed last
  /// @param headerNanos the time for a head; the time for a body is added to it
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

  /// Returns true if the interruptlet needs more of the body of the request that was parsed last
  /// than has arrived. The request is then held.
  ///
  /// @param body index of its body in the input
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

  /// Handles the request that was parsed last.
  ///
  /// @param body index of its body in the input
  /// @return the index after the bytes used; [#NOT_MINE] if the site answers
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

  /// Returns true if the route has an interruptlet that gets requests of this kind.
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

  /// @return true if the interruptlet has answered
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

  /// Starts a handler while the body arrives.
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

  /// Takes more of a body that goes to a handler as it arrives.
  ///
  /// @return the index after the bytes used
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

  /// Ends the body under way, if there is one, because its rest will not arrive. The client gets a
  /// refusal, or the handler that reads the body answers. The connection closes after the reply.
  ///
  /// @return false if there is no body under way
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

  /// Ends the feed of a request that was answered while its body is under way.
  ///
  /// @return the feed of the rest, which has not arrived yet; null if there is none
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

  /// Takes more of the body that is being uploaded.
  ///
  /// @return the index after the bytes used
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

  /// Gives up the body under way, if there is one.
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
