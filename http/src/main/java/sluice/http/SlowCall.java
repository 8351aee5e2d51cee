package sluice.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import sluice.http.log.AccessLogRecord;
import sluice.http.parse.HttpMethod;
import sluice.loop.Connection;
import sluice.loop.ReplyTicket;
import sluice.memory.Account;

/// One request in the hands of a slow handler. Made by the loop's thread, run by one of the slow
/// path; what it sends goes back as pieces that the loop's thread stages.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | status, chunked, keep, sentBytes, streams, record | loop | plain | plain |
/// | head, headSent, stream, completed, closing | handler's thread | plain | plain |
/// | what a piece holds | handler's thread, before the ticket takes it | plain | plain |
final class SlowCall implements Runnable {
  private static final byte[] NONE = {};

  /// Status and fields of a reply.
  static final class Head {
    final int status;
    final byte[] fields;

    /// Of the body; negative when it is not known.
    final long length;

    /// The body is the page of the status.
    final boolean page;

    private Head(int status, byte[] fields, long length, boolean page) {
      this.status = status;
      this.fields = fields;
      this.length = length;
      this.page = page;
    }

    static Head of(int status, byte[] fields, long length) {
      return new Head(status, fields, length, false);
    }

    static Head error(int status) {
      return new Head(status, NONE, 0, true);
    }
  }

  final HttpMessage message;
  private final HttpHandlers loopSide;
  private final HttpSlowHandler handler;
  private final ReplyTicket ticket;
  private final Account account;
  private final long chargedBytes;
  private final boolean headOnly;

  private @Nullable Head head;
  private boolean headSent;
  private @Nullable SlowStream stream;
  private boolean completed;
  private boolean closing;

  /// Loop only.
  int status;

  /// Loop only: whether the body is sent in chunks.
  boolean chunked;

  /// Loop only: whether the connection stays open after the reply.
  boolean keep;

  /// Loop only: bytes of the body so far.
  long sentBytes;

  /// Loop only: a part of the reply was staged when more was to follow.
  boolean streams;

  /// Loop only: its line of the access log, while it waits.
  @Nullable AccessLogRecord record;

  SlowCall(
      HttpHandlers loopSide,
      HttpSlowHandler handler,
      HttpMessage message,
      ReplyTicket ticket,
      Account account,
      long chargedBytes) {
    this.loopSide = loopSide;
    this.handler = handler;
    this.message = message;
    this.ticket = ticket;
    this.account = account;
    this.chargedBytes = chargedBytes;
    this.headOnly = message.method() == HttpMethod.HEAD;
  }

  // ---- the handler's thread -----------------------------------------------------------------

  @Override
  public void run() {
    HttpResponder responder = new HttpResponder(this);
    try {
      handler.handle(message, responder);
      if (stream != null) {
        stream.close();
      }
      if (!completed) {
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
    completed = true;
    account.refund(chargedBytes);
    ticket.completeHere(new Piece(Head.error(503), NONE, 0, true));
  }

  private void fail() {
    if (completed) {
      return;
    }
    if (headSent) {
      cutOff();
    } else {
      completed = true;
      ticket.complete(new Piece(Head.error(500), NONE, 0, true));
    }
  }

  void closeAfter() {
    closing = true;
  }

  /// For the loop, once it has the first piece.
  boolean closing() {
    return closing;
  }

  boolean gone() {
    return ticket.gone();
  }

  void complete(Head whole, byte[] body, int count) throws ClientGoneException {
    completed = true;
    ticket.complete(new Piece(whole, body, count, true));
    if (ticket.gone()) {
      throw new ClientGoneException();
    }
  }

  OutputStream open(Head begun) {
    head = begun;
    SlowStream opened = new SlowStream(this, begun.length);
    stream = opened;
    return opened;
  }

  /// Sends a part of the body, which may be changed when this returns.
  void append(byte[] bytes, int count) throws IOException {
    requireClient();
    ticket.append(new Piece(takeHead(), bytes, count, false));
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
    if (!completed) {
      completed = true;
      ticket.complete(new Piece(takeHead(), bytes, count, true));
    }
  }

  /// Ends the connection, so that the client sees that something is missing.
  void cutOff() {
    if (!completed) {
      completed = true;
      ticket.complete(Connection::abort);
    }
  }

  private void requireClient() throws ClientGoneException {
    if (ticket.gone()) {
      completed = true;
      ticket.complete(Connection::abort);
      throw new ClientGoneException();
    }
  }

  private @Nullable Head takeHead() {
    Head taken = headSent ? null : head;
    headSent = true;
    return taken;
  }

  // ---- the loop's thread --------------------------------------------------------------------

  /// A part of the reply.
  final class Piece implements ReplyTicket.Piece {
    final @Nullable Head head;
    final byte[] bytes;
    final int count;
    final boolean last;

    /// @param head for the first piece, null for the others
    Piece(@Nullable Head head, byte[] bytes, int count, boolean last) {
      this.head = head;
      this.bytes = bytes;
      this.count = headOnly ? 0 : count;
      this.last = last;
    }

    @Override
    public void stage(Connection connection) {
      loopSide.stage(connection, SlowCall.this, this);
    }
  }
}
