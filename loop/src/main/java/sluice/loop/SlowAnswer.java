package sluice.loop;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Objects;
import sluice.loop.sockets.Log;

/// The task that answers one message with a [SlowHandler], and the output stream for its reply. It
/// is created by the loop's thread, and run and filled by a thread of the slow path. The loop's
/// thread stages the written bytes.
final class SlowAnswer extends OutputStream implements Runnable {
  private static final int PIECE_BYTES = 16 << 10;

  private final InterruptletProtocol protocol;
  private final SlowHandler handler;
  private final ReplyTicket ticket;
  private final byte[] message;
  private byte[] piece = new byte[256];
  private int filled;
  private boolean ended;

  SlowAnswer(
      InterruptletProtocol protocol, SlowHandler handler, ReplyTicket ticket, byte[] message) {
    this.protocol = protocol;
    this.handler = handler;
    this.ticket = ticket;
    this.message = message;
  }

  @Override
  public void run() {
    boolean answered = false;
    try {
      handler.handle(message, this);
      answered = true;
    } catch (Exception | Error e) {
      if (!ticket.gone()) {
        Log.LOGGER.log(Level.ERROR, "a slow handler failed; its connection is closed", e);
      }
    } finally {
      ended = true;
      ticket.complete(answered ? new Piece(this, true) : new Failure(this));
    }
  }

  /// Ends the answer without running it, because the executor has rejected it. Called on the loop's
  /// thread.
  void reject() {
    ended = true;
    ticket.completeHere(new Failure(this));
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, bytes.length);
    int done = 0;
    while (done < count) {
      if (filled == PIECE_BYTES) {
        flush();
      }
      int n = Math.min(count - done, PIECE_BYTES - filled);
      if (piece.length - filled < n) {
        int twice = Math.min(PIECE_BYTES, 2 * piece.length);
        piece = Arrays.copyOf(piece, Math.max(filled + n, twice));
      }
      System.arraycopy(bytes, from + done, piece, filled, n);
      filled += n;
      done += n;
    }
  }

  /// Sends the bytes written so far, once most of the earlier bytes have been sent.
  @Override
  public void flush() throws IOException {
    if (ended) {
      throw new IOException("the reply is complete: its handler has returned");
    }
    if (filled > 0) {
      try {
        ticket.awaitRoom();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while the client was to read");
      }
      ticket.append(new Piece(this, false));
      piece = new byte[PIECE_BYTES];
      filled = 0;
    }
    if (ticket.gone()) {
      throw new IOException("the client has gone");
    }
  }

  /// A part of the reply.
  private static final class Piece implements ReplyTicket.Piece {
    private final SlowAnswer answer;
    private final byte[] bytes;
    private final int count;
    private final boolean last;

    Piece(SlowAnswer answer, boolean last) {
      this.answer = answer;
      this.bytes = answer.piece;
      this.count = answer.filled;
      this.last = last;
    }

    @Override
    public void stage(Connection connection) {
      abandoned(); // the message is done with, whatever comes of its reply
      connection.output().put(bytes, 0, count);
      answer.protocol.slowlySent(count);
      if (last) {
        answer.protocol.answeredSlowly(connection);
      }
    }

    @Override
    public void abandoned() {
      if (last) {
        answer.protocol.refund(answer.message.length);
      }
    }
  }

  /// The end of a reply that failed.
  private static final class Failure implements ReplyTicket.Piece {
    private final SlowAnswer answer;

    Failure(SlowAnswer answer) {
      this.answer = answer;
    }

    @Override
    public void stage(Connection connection) {
      abandoned();
      connection.abort();
    }

    @Override
    public void abandoned() {
      answer.protocol.refund(answer.message.length);
    }
  }
}
