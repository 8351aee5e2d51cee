package sluice.http;

import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import sluice.http.parse.BodyKind;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.Output;
import sluice.loop.RunningHandler;
import sluice.memory.Account;
import sluice.memory.View;

/// Brings requests to the handlers of their routes, and the replies of slow ones back into the
/// stream. Owned by one loop's thread.
///
/// An interruptlet is asked first, in place. What it leaves goes to the slow handler with a copy of
/// head and body; bodies are collected here, within the limits of the route and of the loop.
final class HttpHandlers {
  /// Longest body that is held until it is whole, to be shown to an interruptlet.
  static final int HELD_BODY_BYTES = 16 << 10;

  /// The answer of [#handle] that is no index.
  static final int NOT_MINE = -1;

  /// Slowest upload that is waited for, in bytes a second, beside the header timeout.
  private static final int UPLOAD_RATE = 16 << 10;

  /// What slow requests of one loop may hold.
  private static final long SLOW_BYTES = 128L << 20;

  private static final byte[] CONTINUE = HttpReplies.ascii("HTTP/1.1 100 Continue\r\n\r\n");
  private static final byte[] LAST_CHUNK = HttpReplies.ascii("0\r\n\r\n");

  private final HttpProtocol http;
  private final Loop loop;
  private final RunningHandler running;
  private final HttpReplies replies;
  private final HttpRequest request;
  private final HttpReply reply;
  private final Account account;
  private final long headerNanos;

  HttpHandlers(
      HttpProtocol http, Loop loop, HttpConfig config, HttpRequest request, HttpReplies replies) {
    this.http = http;
    this.loop = loop;
    this.running = loop.handler();
    this.request = request;
    this.replies = replies;
    this.reply = new HttpReply(replies);
    this.account = new Account(loop.name() + " slow requests", SLOW_BYTES);
    this.headerNanos = config.headerTimeout().toNanos();
  }

  // ---- requests -----------------------------------------------------------------------------

  /// Whether the interruptlet of the request that was parsed last is to see it with more of its
  /// body than there is. If so it is held.
  ///
  /// @param body index of its body in the input
  boolean waits(BoundRoute route, Connection connection, int body, int end) {
    if (!isShown(route) || route.guard.disabled() || isWhole(body, end)) {
      return false;
    }
    HttpSession session = HttpProtocol.session(connection);
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
  /// @return the index after what was used of it; [#NOT_MINE] when the site answers
  int handle(BoundRoute route, Connection connection, View input, int body, int end) {
    HttpInterruptlet interruptlet = route.interruptlet;
    boolean refused = interruptlet != null && route.guard.disabled();
    if (interruptlet != null && !refused && isShown(route)) {
      refused = !isWhole(body, end); // it was enabled after `waits`
      if (!refused && run(route, interruptlet, connection)) {
        return (int) (body + request.contentLength());
      }
    }
    HttpSlowHandler slow = route.route.slowHandler();
    if (slow != null) {
      return startSlow(route, slow, connection, input, body, end);
    }
    if (refused) {
      http.refuseRequest(connection, 503, HttpReplies.RETRY);
      return body;
    }
    return NOT_MINE;
  }

  /// Whether the route has an interruptlet, and is shown such requests.
  private boolean isShown(BoundRoute route) {
    return route.interruptlet != null
        && (request.bodyKind() == BodyKind.NONE
            || (request.bodyKind() == BodyKind.FIXED
                && request.contentLength() <= HELD_BODY_BYTES));
  }

  private boolean isWhole(int body, int end) {
    return body + request.contentLength() <= end;
  }

  /// @return whether the interruptlet has answered
  private boolean run(BoundRoute route, HttpInterruptlet interruptlet, Connection connection) {
    HttpSession session = HttpProtocol.session(connection);
    boolean keep = request.keepAlive() && !session.closing;
    reply.begin(connection, request, http.connectionField(keep));
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
      Log.LOGGER.log(
          Level.ERROR, () -> "the interruptlet of " + route.route.prefix() + " failed", e);
      http.finish(connection, session, 500, HttpReplies.NONE, keep);
      return true;
    } finally {
      route.guard.exit(running);
    }
    if (done) {
      http.counts().interruptlets++;
      http.replied(connection, session, keep && !reply.closes());
    }
    return done;
  }

  // ---- the way to the slow handler ----------------------------------------------------------

  private int startSlow(
      BoundRoute route, HttpSlowHandler slow, Connection connection, View input, int at, int end) {
    boolean chunked = request.bodyKind() == BodyKind.CHUNKED;
    long announced = chunked ? -1 : request.contentLength();
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
    HttpProtocol.session(connection).collect(new Upload(route, message, account, announced));
    long atRate = (chunked ? limit : announced) * 1_000_000_000L / UPLOAD_RATE;
    connection.deadline(headerNanos + atRate);
    return collect(connection, input, at, end);
  }

  /// Takes more of the body that is being uploaded.
  ///
  /// @return the index after what was used
  int collect(Connection connection, View input, int from, int end) {
    HttpSession session = HttpProtocol.session(connection);
    Upload upload = session.upload();
    HttpSlowHandler slow = upload == null ? null : upload.route.route.slowHandler();
    if (upload == null || slow == null) {
      throw new IllegalStateException("no upload is under way");
    }
    int at = upload.take(input, from, end);
    if (at < 0) {
      abandon(session);
      http.refuse(connection, -at, upload.message);
      return end;
    }
    if (upload.done()) {
      session.collected();
      defer(connection, slow, upload.complete(), upload.message.head().length + upload.charged());
    }
    return at;
  }

  /// Gives up an upload that is under way, if there is one.
  void abandon(HttpSession session) {
    Upload upload = session.upload();
    if (upload != null) {
      session.collected();
      account.refund(upload.message.head().length + upload.charged());
    }
  }

  private void defer(
      Connection connection, HttpSlowHandler slow, HttpMessage message, long chargedBytes) {
    http.counts().slow++;
    SlowCall call = new SlowCall(this, slow, message, connection.defer(), account, chargedBytes);
    try {
      loop.slowPath().execute(call);
    } catch (RejectedExecutionException e) {
      call.reject();
    }
  }

  // ---- the way back -------------------------------------------------------------------------

  /// Stages a part of a slow reply.
  void stage(Connection connection, SlowCall call, SlowCall.Piece piece) {
    HttpSession session = HttpProtocol.session(connection);
    SlowCall.Head head = piece.head;
    if (head != null) {
      http.updateDate();
      stageHead(connection, session, call, head);
    }
    boolean chunked = call.chunked;
    Output out = connection.output();
    if (piece.count > 0) {
      if (chunked) {
        out.put(HttpReplies.ascii(Integer.toHexString(piece.count) + "\r\n"));
      }
      out.put(piece.bytes, 0, piece.count);
      if (chunked) {
        out.put(HttpReplies.CRLF);
      }
      call.sentBytes += piece.count;
    }
    if (piece.last) {
      if (chunked && call.message.method() != HttpMethod.HEAD) {
        out.put(LAST_CHUNK);
      }
      replies.noted(call.status, call.sentBytes);
      http.repliedSlowly(connection, call, call.keep && !session.closing);
    } else {
      http.streams(connection, call);
    }
  }

  private void stageHead(
      Connection connection, HttpSession session, SlowCall call, SlowCall.Head head) {
    HttpMessage message = call.message;
    boolean unknown = head.length < 0;
    call.status = head.status;
    call.chunked = unknown && message.minorVersion() > 0;
    call.keep =
        message.keepAlive() && !call.closing() && !session.closing && (!unknown || call.chunked);
    byte[] connectionField = HttpProtocol.connectionField(call.keep, message.minorVersion());
    byte[] page = head.page ? replies.page(head.status) : null;
    long length = page == null ? head.length : page.length;
    byte[] fields = head.fields;
    if (page != null) {
      fields = HttpReplies.HTML;
    } else if (call.chunked) {
      fields = HttpReplies.joined(HttpReplies.CHUNKED_FIELD, fields);
    }
    Output out = connection.output();
    replies.head(out, head.status, length, fields, connectionField);
    if (page != null && message.method() != HttpMethod.HEAD) {
      out.put(page);
      call.sentBytes = page.length;
    }
  }
}
