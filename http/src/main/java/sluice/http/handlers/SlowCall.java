package sluice.http.handlers;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import sluice.http.log.Log;
import sluice.http.reply.HttpReplies;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.ReplyTicket;
import sluice.memory.Account;

/// One request in the hands of a slow or an asynchronous handler. Made by the loop's thread,
/// answered by one thread at a time; what that sends goes back as pieces that the loop's thread
/// stages ([SlowReply]). The fields are those of the answering thread.
///
/// ```
///  ASKED ──its head is sent──▶ STREAMING ──the rest of its body, or cut off──▶ OVER
///    └──────────────── a whole reply, or an error ───────────────────────────▶
/// ```
final class SlowCall {
  private enum Stage {
    /// Nothing of the reply has been sent.
    ASKED,
    /// The head has been sent, and some of the body.
    STREAMING,
    /// The last piece has been sent, or the connection was cut off.
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

  /// No handler returns behind the last piece.
  private boolean isAsync;

  /// @param chargedBytes refunded to `account` when the slow handler has ended, or the request was
  ///   answered by another
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

  /// Has a handler take the request, on the loop's thread.
  void give(HttpAsyncHandler handler, Loop loop) {
    isAsync = true;
    try {
      handler.take(message, new HttpResponder(this), loop);
    } catch (RuntimeException | Error e) {
      Log.LOGGER.log(Level.ERROR, () -> "the handler of " + message + " failed", e);
      fail();
    }
  }

  /// Has a slow handler answer, on a thread where it may block.
  void run(HttpSlowHandler handler) {
    HttpResponder responder = new HttpResponder(this);
    try {
      handler.handle(message, responder);
      if (stream != null) {
        stream.close();
      }
      if (stage != Stage.OVER) {
        Log.LOGGER.log(
            Level.ERROR, () -> "the handler of " + message + " has returned without an answer");
        fail();
      }
    } catch (ClientGoneException e) {
      fail();
    } catch (Exception | Error e) {
      Log.LOGGER.log(Level.ERROR, () -> "the handler of " + message + " failed", e);
      fail();
    } finally {
      account.refund(chargedBytes);
    }
  }

  /// The handler cannot be run.
  void reject() {
    stage = Stage.OVER;
    account.refund(chargedBytes);
    ticket.completeHere(reply.piece(SlowReply.Head.error(503), HttpReplies.NONE, 0, true));
  }

  private void fail() {
    if (stage == Stage.STREAMING) {
      cutOff();
    } else if (stage == Stage.ASKED) {
      over();
      ticket.complete(reply.piece(SlowReply.Head.error(500), HttpReplies.NONE, 0, true));
    }
  }

  private void over() {
    stage = Stage.OVER;
    if (isAsync) {
      account.refund(chargedBytes);
    }
  }

  boolean gone() {
    return ticket.gone();
  }

  void complete(SlowReply.Head whole, byte[] body, int count) throws ClientGoneException {
    over();
    ticket.complete(reply.piece(whole, body, count, true));
    if (ticket.gone()) {
      throw new ClientGoneException();
    }
  }

  /// As [#complete], on the loop's thread.
  void completeHere(SlowReply.Head whole, byte[] body, int count) {
    over();
    ticket.completeHere(reply.piece(whole, body, count, true));
  }

  OutputStream open(SlowReply.Head begun) {
    head = begun;
    SlowStream opened = new SlowStream(this, begun.length());
    stream = opened;
    return opened;
  }

  /// Sends a part of the body, which may be changed when this returns.
  void append(byte[] bytes, int count) throws IOException {
    requireClient();
    ticket.append(reply.piece(takeHead(), bytes, count, false));
    try {
      ticket.awaitRoom();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cutOff();
      InterruptedIOException failure = new InterruptedIOException("interrupted in a reply");
      failure.initCause(e);
      throw failure;
    }
    requireClient();
  }

  /// Sends the rest of the body.
  void finish(byte[] bytes, int count) {
    if (stage != Stage.OVER) {
      SlowReply.Head first = takeHead();
      over();
      ticket.complete(reply.piece(first, bytes, count, true));
    }
  }

  /// Ends the connection, so that the client sees that something is missing.
  void cutOff() {
    if (stage != Stage.OVER) {
      over();
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
