package sluice.http.handlers;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import sluice.http.log.Log;
import sluice.http.reply.HttpReplies;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.ReplyTicket;
import sluice.memory.Account;

/// A request that is answered by a slow or an asynchronous handler. It is created by the loop's
/// thread. The answering thread sends the reply in segments, which are staged by the loop's thread
/// ([SlowReply]). Any thread may abort the reply, in which case sending the next segment throws an
/// exception.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | stage | answering thread; any to cut off | under the monitor | under the monitor |
/// | pieces, waits | answering thread | volatile | volatile |
/// | head, stream, isAsync | answering thread | plain | plain |
///
/// ```
///  ASKED ──its head is sent──▶ STREAMING ──the rest of its body, or cut off──▶ OVER
///    └──────────────── a whole reply, or an error ───────────────────────────▶
/// ```
final class SlowCall {
  private enum Stage {
    /// No part of the reply has been sent.
    ASKED,
    /// The head has been sent, and some of the body.
    STREAMING,
    /// The last segment has been sent, or the connection was aborted.
    OVER
  }

  private final HttpMessage message;
  private final SlowReply reply;
  private final ReplyTicket ticket;
  private final Account account;
  private final long chargedBytes;

  private Stage stage = Stage.ASKED;
  private SlowReply.@Nullable Head head;
  private @Nullable SlowStream stream;

  /// True if no handler returns after the last piece.
  private boolean isAsync;

  private volatile long pieces;
  private volatile boolean waits;

  /// @param chargedBytes the number of bytes that are refunded to `account` when the slow handler
  ///   has returned, or the request was answered by another handler
  SlowCall(
      HttpMessage message,
      SlowReply reply,
      ReplyTicket ticket,
      Account account,
      long chargedBytes) {
    this.message = message;
    this.reply = reply;
    this.ticket = ticket;
    this.account = account;
    this.chargedBytes = chargedBytes;
  }

  /// Passes the request to a handler on the loop's thread.
  void give(HttpAsyncHandler handler, Loop loop) {
    isAsync = true;
    try {
      handler.take(message, new HttpResponder(this), loop);
    } catch (RuntimeException | Error e) {
      Log.LOGGER.log(Level.ERROR, () -> "the handler of " + message + " failed", e);
      fail(500);
    }
  }

  /// Runs a slow handler on a thread that may block.
  void run(HttpSlowHandler handler) {
    HttpResponder responder = new HttpResponder(this);
    try {
      handler.handle(message, responder);
      if (stream != null) {
        stream.close();
      }
      if (!isOver()) {
        Log.LOGGER.log(
            Level.ERROR, () -> "the handler of " + message + " has returned without an answer");
        fail(500);
      }
    } catch (BrokenBodyException e) {
      fail(e.status());
    } catch (ClientGoneException e) {
      fail(500);
    } catch (Exception | Error e) {
      Log.LOGGER.log(Level.ERROR, () -> "the handler of " + message + " failed", e);
      fail(500);
    } finally {
      account.refund(chargedBytes);
    }
  }

  /// Answers 503 because the handler cannot be run.
  void reject() {
    boolean _ = over();
    account.refund(chargedBytes);
    ticket.completeHere(reply.piece(SlowReply.Head.error(503), HttpReplies.NONE, 0, true));
  }

  private synchronized void fail(int status) {
    if (stage == Stage.STREAMING) {
      cutOff();
    } else if (over()) {
      ticket.complete(reply.piece(SlowReply.Head.error(status), HttpReplies.NONE, 0, true));
    }
  }

  private synchronized boolean isOver() {
    return stage == Stage.OVER;
  }

  /// @return false if it was already over
  private synchronized boolean over() {
    if (stage == Stage.OVER) {
      return false;
    }
    stage = Stage.OVER;
    if (isAsync) {
      account.refund(chargedBytes);
    }
    StreamedBody body = message.streamed();
    if (body != null) {
      body.over();
    }
    return true;
  }

  boolean gone() {
    return ticket.gone();
  }

  /// Returns a measure of how much of the body has been read and of the reply has been sent.
  long progress() {
    StreamedBody body = message.streamed();
    return pieces + (body == null ? 0 : body.takenBytes());
  }

  /// Returns true while the answering thread is waiting for the client.
  boolean waitsForClient() {
    StreamedBody body = message.streamed();
    return waits || (body != null && body.isAwaited());
  }

  void complete(SlowReply.Head whole, byte[] body, int count) throws ClientGoneException {
    synchronized (this) {
      if (over()) {
        ticket.complete(reply.piece(whole, body, count, true));
      }
    }
    if (ticket.gone()) {
      throw new ClientGoneException();
    }
  }

  /// Completes the reply on the loop's thread; see [#complete].
  void completeHere(SlowReply.Head whole, byte[] body, int count) {
    if (over()) {
      ticket.completeHere(reply.piece(whole, body, count, true));
    }
  }

  OutputStream open(SlowReply.Head begun) {
    head = begun;
    SlowStream opened = new SlowStream(this, begun.length());
    stream = opened;
    return opened;
  }

  /// Sends a part of the body. The array may be modified after this method has returned.
  void append(byte[] bytes, int count) throws IOException {
    requireClient();
    synchronized (this) {
      if (stage == Stage.OVER) {
        throw new IOException("the reply was cut off");
      }
      ticket.append(reply.piece(takeHead(), bytes, count, false));
      pieces++;
    }
    waits = true;
    try {
      ticket.awaitRoom();
    } catch (InterruptedException e) {
      cutOff();
      throw Interrupts.asFailure(e, "interrupted in a reply");
    } finally {
      waits = false;
    }
    requireClient();
  }

  /// Sends the rest of the body.
  synchronized void finish(byte[] bytes, int count) {
    SlowReply.Head first = takeHead();
    if (over()) {
      ticket.complete(reply.piece(first, bytes, count, true));
    }
  }

  /// Aborts the connection, so that the client detects that the reply is incomplete.
  synchronized void cutOff() {
    if (over()) {
      ticket.complete(Connection::abort);
    }
  }

  private void requireClient() throws ClientGoneException {
    if (ticket.gone()) {
      cutOff();
      throw new ClientGoneException();
    }
  }

  private SlowReply.@Nullable Head takeHead() {
    if (stage != Stage.ASKED) {
      return null;
    }
    stage = Stage.STREAMING;
    return head;
  }
}
