package sluice.loop;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.FileBody;
import sluice.loop.engine.SendVector;
import sluice.loop.engine.Token;
import sluice.loop.engine.Transport;
import sluice.loop.output.OutSegment;
import sluice.loop.turn.BatchQueue;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// The queue of connections with staged output. It submits one send per dirty connection and turn,
/// and settles it at the end of the turn that submits it. Owned by the loop's thread.
///
/// **Silence is success.** A send has no completion if all of its bytes were accepted. A partial
/// send is completed by `sendAll`, one at a time, while the connection's output waits.
final class FlushQueue {
  /// The number of file bytes sent for one connection before other connections are served.
  private static final int FILE_BUDGET_BYTES = 1 << 20;

  /// The minimum size of a file chunk sent to a slow peer.
  private static final int LEAST_PIECE_BYTES = 16 << 10;

  /// The size of the chunks that a slow peer must receive within the write timeout.
  private static final int WAITING_PIECE_BYTES = 64 << 10;

  private final LoopParts loop;
  private final BatchQueue<Connection> dirty;
  private final Consumer<Connection> flusher = this::flushDirty;
  private final SendVector vector = new SendVector();
  private @Nullable Connection[] flushed = new Connection[256];
  private int flushedCount;

  /// @param dirty the connections with output
  FlushQueue(LoopParts loop, BatchQueue<Connection> dirty) {
    this.loop = loop;
    this.dirty = dirty;
  }

  /// Returns true if the next turn must not wait, because work can continue as soon as the sends
  /// have been submitted.
  boolean hasMore() {
    return loop.turn().mustNotWait() || dirty.size() > 0;
  }

  /// Returns true if staged sends must be settled at the end of this turn.
  boolean unsettled() {
    return flushedCount > 0;
  }

  void flushAll() {
    loop.turn().beginSends();
    dirty.pass(flusher);
  }

  private void flushDirty(Connection connection) {
    connection.dirty = false;
    flush(connection);
  }

  private void flush(Connection connection) {
    if (connection.finished()) {
      return;
    }
    if (connection.sendState != Connection.Send.IDLE) {
      persist(connection, 0);
      return;
    }
    TlsLayer tls = connection.tls;
    if (tls != null && (!encrypt(connection, tls) || !sendable(connection))) {
      return;
    }
    Output output = connection.wire();
    OutSegment head = output.head();
    if (head == null && tls != null) {
      head = tls.readyFile();
    }
    if (head == null) {
      if (tls == null || tls.drained()) {
        connection.outputEmpty();
      }
    } else if (head.file != null) {
      if (persist(connection, 0)) {
        sendFile(connection, head, head.file);
      }
    } else if (tls == null && head.sentByPages()) {
      if (persist(connection, 0)) {
        sendPages(connection, output, head);
      }
    } else {
      submit(connection, output);
    }
  }

  /// Sends as many pages of a memory file as the socket accepts.
  private void sendPages(Connection connection, Output output, OutSegment head) {
    Block block = Objects.requireNonNull(head.lease);
    int count = Math.min(head.length, FILE_BUDGET_BYTES);
    long position = block.regionOffset() + head.offset;
    Transport transport = connection.transport;
    long sent = transport.sendFile(connection.socket, block.fileDescriptor(), position, count);
    if (sent > 0) {
      loop.counters().sends++;
      loop.counters().sentBytes += sent;
      output.drop(sent);
      advanced(connection);
    } else if (sent == -Errno.EAGAIN) {
      awaitWritable(connection);
    } else if (sent == -Errno.EOPNOTSUPP || sent == -Errno.EINVAL) {
      head.copied = true;
      submit(connection, output);
    } else {
      connection.abort();
    }
  }

  private void submit(Connection connection, Output output) {
    int bytes = output.gather(vector);
    if (bytes < connection.unsentBytes()) {
      loop.turn().settleSoon();
      if (!persist(connection, bytes)) {
        return;
      }
    }
    submitted(connection, bytes);
    Transport transport = connection.transport;
    long token = connection.token(Token.SEND);
    if (vector.count() == 1 && !vector.more()) {
      transport.send(
          connection.socket, token, vector.segment(0), vector.offset(0), vector.length(0));
    } else {
      transport.sendVector(connection.socket, token, vector);
    }
    if (connection.settlesSoon()) {
      loop.turn().settleSoon();
    }
  }

  /// Records a send that is settled at the end of the turn that submits it.
  private void submitted(Connection connection, int bytes) {
    connection.sendState = Connection.Send.SUBMITTED;
    connection.submittedBytes = bytes;
    if (flushedCount == flushed.length) {
      flushed = Arrays.copyOf(flushed, flushedCount * 2);
    }
    flushed[flushedCount++] = connection;
    loop.counters().sends++;
  }

  /// Encrypts as much output as the socket should receive now, and copies the rest out of the
  /// staging memory. Ciphertext cannot be produced twice, so the connection waits before encrypting
  /// if there is no memory to store it.
  private boolean encrypt(Connection connection, TlsLayer tls) {
    connection.dirty = true; // it is being flushed: what is encrypted here needs no second flush
    boolean postponed = tls.encrypt();
    connection.dirty = false;
    if (postponed) {
      connection.markDirty();
    }
    return connection.output().persist(0) || abandon(connection);
  }

  /// Returns true if encryption succeeded and memory for the ciphertext was available.
  private static boolean sendable(Connection connection) {
    return !connection.finished() && connection.sendState == Connection.Send.IDLE;
  }

  private boolean persist(Connection connection, long skipBytes) {
    return connection.persist(skipBytes) || abandon(connection);
  }

  /// Aborts a connection whose reply exceeds the memory that [OutputRoom] grants it.
  private boolean abandon(Connection connection) {
    loop.counters().overBudgetConnections++;
    connection.abort();
    return false;
  }

  // ---- outcome ------------------------------------------------------------------------------

  void sendFellShort(@Nullable Connection connection, int result) {
    if (connection != null && connection.sendState == Connection.Send.SUBMITTED) {
      connection.shortResult = result;
    }
  }

  /// Settles all sends submitted by this turn, whose results are now known.
  void settleAll() {
    for (int i = 0; i < flushedCount; i++) {
      Connection connection = flushed[i];
      flushed[i] = null;
      if (connection != null) {
        settle(connection);
      }
    }
    flushedCount = 0;
  }

  private void settle(Connection connection) {
    int result = connection.shortResult;
    connection.shortResult = Connection.TOOK_ALL;
    connection.sendState = Connection.Send.IDLE;
    Output output = connection.wire();
    OutSegment head = output.head();
    boolean piece = head != null && head.file != null;
    boolean all = result == Connection.TOOK_ALL;
    int taken = all ? connection.submittedBytes : Math.max(0, result);
    if (piece) {
      pieceSent(connection, output, taken, all);
    } else {
      output.drop(taken);
    }
    loop.counters().sentBytes += taken;
    if (connection.finished()) {
      connection.finish();
    } else if (all) {
      advanced(connection);
    } else if (result >= 0 || result == -Errno.EAGAIN || result == -Errno.EINTR) {
      loop.counters().shortSends++;
      if (piece) {
        awaitWritable(connection);
      } else if (persist(connection, 0)) {
        sendRest(connection);
      }
    } else {
      connection.abort();
    }
  }

  /// Sends a chunk of the remaining output that is small enough for a slow peer to receive within
  /// the write timeout.
  private void sendRest(Connection connection) {
    OutSegment head = connection.wire().head();
    if (head == null) {
      throw new IllegalStateException("a send fell short of nothing");
    }
    int length = Math.min(head.length, WAITING_PIECE_BYTES);
    connection.sendState = Connection.Send.WAITING;
    connection.submittedBytes = length;
    connection.blockedOnWrite();
    long token = connection.token(Token.SEND_ALL);
    connection.transport.sendAll(connection.socket, token, head.bytes, head.offset, length);
  }

  void sentAll(@Nullable Connection connection, int result) {
    if (connection == null || connection.sendState != Connection.Send.WAITING) {
      return;
    }
    connection.sendState = Connection.Send.IDLE;
    if (result > 0) {
      loop.counters().sentBytes += result;
      connection.wire().drop(result);
    }
    if (connection.finished()) {
      connection.finish();
    } else if (result == connection.submittedBytes) {
      connection.unblockedOnWrite();
      advanced(connection);
    } else if (result > 0 || result == -Errno.EINTR) {
      sendRest(connection); // a signal has ended the wait; if the peer has gone, this will tell
    } else {
      connection.abort();
    }
  }

  /// Continues with the remaining output, or with the work that was waiting for output to be
  /// accepted.
  private void advanced(Connection connection) {
    connection.tellSent();
    connection.input.outputTaken();
    ReplyTicket ticket = connection.ticket;
    if (ticket != null) {
      ticket.roomIfDrained();
    }
    if (connection.unsentBytes() > 0 || connection.state == Connection.State.CLOSING) {
      connection.markDirty();
    }
  }

  // ---- files --------------------------------------------------------------------------------

  /// Sends as much of a file as the socket accepts. A download whose peer does not read holds no
  /// memory of the loop, because bytes that were read but not accepted are read again later.
  private void sendFile(Connection connection, OutSegment head, FileBody file) {
    if (head.lease != null) {
      sendPiece(connection, head);
      return;
    }
    if (connection.tls != null) {
      readPiece(connection, head, file);
      return;
    }
    int budget = FILE_BUDGET_BYTES;
    while (budget > 0) {
      long tail = file.copiedTailBytes();
      boolean copied = head.fileRemaining <= tail;
      long most = copied ? Connection.READ_PIECE_BYTES : head.fileRemaining - tail;
      long piece = Math.min(Math.min(head.fileRemaining, most), budget);
      if (file.fd() < 0 || !file.resident(head.filePosition, piece)) {
        readPiece(connection, head, file);
        return;
      }
      if (copied) {
        copyPiece(connection, head, file);
        return;
      }
      long sent =
          connection.transport.sendFile(connection.socket, file.fd(), head.filePosition, piece);
      if (sent == -Errno.EAGAIN) {
        awaitWritable(connection);
        return;
      }
      if (sent == -Errno.EOPNOTSUPP || sent == -Errno.EINVAL) {
        readPiece(connection, head, file);
        return;
      }
      boolean unchanged = sent > 0 && file.unchanged();
      boolean last = sent == head.fileRemaining;
      if (sent > 0) {
        loop.counters().fileBytes += sent;
        budget -= (int) sent;
        connection.output().dropFile(sent);
      }
      if (!unchanged) {
        connection.abort();
        return;
      }
      if (last) {
        break;
      }
    }
    advanced(connection);
    if (connection.output().isEmpty() && connection.ticket == null) {
      connection.unblockedOnWrite();
    }
  }

  private void awaitWritable(Connection connection) {
    connection.sendState = Connection.Send.WRITABLE;
    connection.blockedOnWrite();
    connection.transport.awaitWritable(connection.socket, connection.token(Token.WRITABLE));
  }

  void writable(@Nullable Connection connection, int result) {
    if (connection == null || connection.sendState != Connection.Send.WRITABLE) {
      return;
    }
    connection.sendState = Connection.Send.IDLE;
    if (connection.finished()) {
      connection.finish();
    } else if (result < 0) {
      connection.abort();
    } else {
      connection.unblockedOnWrite();
      connection.markDirty();
    }
  }

  /// Allocates memory for the next chunk of the file at the front, as large as the available room
  /// allows.
  ///
  /// @return null if the connection must wait for room
  private @Nullable Block pieceBlock(Connection connection, OutSegment head, int most) {
    int wanted = (int) Math.min(head.fileRemaining, most);
    int length = loop.outputRoom().piece(connection, wanted);
    Block block = length == 0 ? null : loop.outputMemory().allocate(length);
    if (block == null) {
      connection.awaitRoom();
    }
    return block;
  }

  /// Sends a copy of the next chunk, which is in memory.
  private void copyPiece(Connection connection, OutSegment head, FileBody file) {
    Block block = pieceBlock(connection, head, connection.pieceBytes);
    if (block != null) {
      int length = (int) block.lengthBytes();
      pieceRead(connection, file, block, file.read(head.filePosition, block.segment(), 0, length));
      if (!connection.finished()) {
        sendPiece(connection, head);
      }
    }
  }

  /// Reads the next chunk on the slow path, where waiting for a device delays no other connection.
  private void readPiece(Connection connection, OutSegment head, FileBody file) {
    int most = connection.tls != null ? TlsLayer.FILE_PIECE_BYTES : connection.pieceBytes;
    Block block = pieceBlock(connection, head, most);
    if (block == null) {
      return;
    }
    int length = (int) block.lengthBytes();
    connection.sendState = Connection.Send.READING;
    loop.timers().cancel(connection);
    long position = head.filePosition;
    loop.slowPath()
        .execute(() -> {
          int read;
          try {
            read = file.read(position, block.segment(), 0, length);
          } catch (RuntimeException e) {
            read = -Errno.EIO;
          }
          int result = read;
          loop.tasks().execute(() -> pieceRead(connection, file, block, result));
        });
  }

  private void pieceRead(Connection connection, FileBody file, Block block, int read) {
    connection.sendState = Connection.Send.IDLE;
    if (connection.finished()) {
      block.release();
      connection.finish();
    } else if (read <= 0 || !file.unchanged()) {
      block.release();
      connection.abort();
    } else {
      if (connection.tls == null) {
        connection.output().holdPiece(block, read);
      } else {
        loop.counters().fileBytes += read;
        connection.output().replaceFileFront(block, read);
      }
      connection.unblockedOnWrite();
      connection.markDirty();
    }
  }

  private void sendPiece(Connection connection, OutSegment head) {
    loop.turn().settleSoon(); // how it went shows at the end of the turn
    submitted(connection, head.length);
    long token = connection.token(Token.SEND);
    connection.transport.send(connection.socket, token, head.bytes, head.offset, head.length);
  }

  /// Releases a sent chunk and sets the size of the next one to what the socket is likely to
  /// accept.
  private void pieceSent(Connection connection, Output output, int taken, boolean all) {
    int next = all ? 2 * connection.submittedBytes : Math.max(LEAST_PIECE_BYTES, taken);
    connection.pieceBytes = Math.clamp(next, LEAST_PIECE_BYTES, Connection.READ_PIECE_BYTES);
    loop.counters().fileBytes += taken;
    output.dropPiece(taken);
  }
}
