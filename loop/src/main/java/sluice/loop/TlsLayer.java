package sluice.loop;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Block;

/// TLS between a connection's socket and its protocol (RFC 8446, RFC 5246). Owned by the loop's
/// thread; only the engine's delegated tasks run on the slow path, and while they do the loop does
/// not touch the engine, whose lock they hold.
///
/// ```
/// chunk ──unwrap──▶ plain block ──▶ Connection.input ──▶ protocol
/// socket ◀──FlushQueue── wire (staged ciphertext) ◀──wrap── Connection.output
/// ```
///
/// Records are decrypted from the chunk they arrived in; only the beginning of a record that is not
/// complete is copied. Plain bytes get a block for the time they are shown to the protocol. Between
/// messages a connection holds no buffer. At most [TlsWriter#WIRE_BYTES] are encrypted ahead of the
/// socket.
///
/// A FIN without `close_notify` may be forged: the protocol hears of it by [Protocol#truncated].
final class TlsLayer {
  private static final Logger LOG = System.getLogger("sluice.loop");

  private static final int TYPE_HANDSHAKE = 22;

  /// What one piece of a file may hold: as much as leaves in one turn.
  static final int FILE_PIECE_BYTES = TlsWriter.WIRE_BYTES;

  /// Attempts to get alerts out of a broken engine, which throws some errors twice.
  private static final int ALERT_ATTEMPTS = 8;

  private static final int SMALLEST_PLAIN_BYTES = 512;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final ByteBuffer NO_ROOM = ByteBuffer.allocate(0);

  private final Connection connection;
  private final Loop loop;
  private final SSLEngine engine;
  private final TlsHeld held;
  private final TlsWriter writer;
  private final long handshakeDeadlineNanos;

  private boolean established;
  private boolean renegotiable;

  /// Delegated tasks run on the slow path.
  private boolean busy;

  private boolean failed;

  /// The protocol has closed before the handshake was over, with output to be sent first.
  private boolean closeWaits;

  private boolean finWaits;
  private boolean inputEnded;
  private boolean truncated;
  private boolean closeSent;

  /// Plain bytes of the chunk at hand.
  private @Nullable Block plain;

  private ByteBuffer target = NO_ROOM;

  TlsLayer(Connection connection, TlsContext context) {
    this.connection = connection;
    this.loop = connection.loop;
    this.engine = context.engine(loop);
    this.held = new TlsHeld(connection);
    this.writer = new TlsWriter(connection, engine);
    this.handshakeDeadlineNanos = loop.now() + context.options().handshakeTimeoutNanos();
    loop.timers().schedule(connection, handshakeDeadlineNanos);
  }

  /// What goes to the socket.
  Output wire() {
    return writer.wire();
  }

  // ---- input --------------------------------------------------------------------------------

  /// Ciphertext came in a chunk that nobody else holds: it is decrypted in place.
  void received(Block chunk, long base, int count) {
    if (!accepts()) {
      connection.input(chunk, base, count); // counted, and dropped
      return;
    }
    MemorySegment bytes = chunk.segment();
    int used = 0;
    while (used < count && accepts()) {
      int missing = held.missing();
      if (missing > 0 && !busy) {
        int more = Math.min(missing, count - used);
        if (!hold(bytes, base + used, more)) {
          return;
        }
        used += more;
        if (held.missing() == 0) {
          decryptHeld();
        }
        continue;
      }
      if (!busy) {
        used += decrypt(bytes, base + used, count - used);
      }
      if (used < count && accepts()) {
        hold(bytes, base + used, count - used);
        return;
      }
    }
  }

  private boolean accepts() {
    return connection.state == Connection.OPEN && !inputEnded;
  }

  private boolean hold(MemorySegment from, long offset, int count) {
    if (!held.add(from, offset, count)) {
      overBudget();
      return false;
    }
    if (saturated()) {
      connection.pauseReceive();
    }
    return true;
  }

  /// Whether so much waits for the slow path that receiving stops.
  boolean saturated() {
    int most = Math.max(loop.config().partialBytesPerConnection(), TlsHeld.LONGEST_RECORD_BYTES);
    return busy && held.length() >= most;
  }

  private void decryptHeld() {
    int length = held.length();
    Block block = held.take();
    if (block == null) {
      return;
    }
    int used = decrypt(block.segment(), 0, length);
    if (used < length && accepts()) {
      hold(block.segment(), used, length - used);
    }
    block.release();
  }

  /// Decrypts complete records and shows what they carry.
  ///
  /// @return bytes used up; fewer than `count` when a record is incomplete or tasks must run first
  private int decrypt(MemorySegment from, long offset, int count) {
    ByteBuffer source = from.asSlice(offset, count).asByteBuffer();
    try {
      while (!busy && accepts() && TlsHeld.complete(source)) {
        if (renegotiable && source.get(source.position()) == TYPE_HANDSHAKE) {
          throw new SSLException("the client wants to renegotiate, which is refused");
        }
        unwrap(source);
      }
      showPlain();
    } catch (SSLException e) {
      showPlain();
      fail(e);
    } catch (RuntimeException e) {
      broken(e);
    } finally {
      dropPlain();
    }
    return source.position();
  }

  private void unwrap(ByteBuffer source) throws SSLException {
    int before = source.position();
    SSLEngineResult result = engine.unwrap(source, target);
    HandshakeStatus next = result.getHandshakeStatus();
    switch (result.getStatus()) {
      case BUFFER_OVERFLOW -> {
        if (plain != null && target.position() == 0) {
          throw new SSLException("a record holds more than it can: " + result);
        }
        showPlain();
        if (!allocatePlain(source.remaining())) {
          overBudget();
        }
        return;
      }
      case BUFFER_UNDERFLOW -> throw new SSLException("a record is longer than it says");
      case CLOSED -> {
        proceed(next);
        showPlain();
        endInput(false);
        return;
      }
      case OK -> {}
    }
    boolean stuck = source.position() == before && next == HandshakeStatus.NEED_UNWRAP;
    if (stuck || (source.position() == before && next == HandshakeStatus.NOT_HANDSHAKING)) {
      throw new SSLException("the engine makes no progress: " + result);
    }
    proceed(next);
  }

  private boolean allocatePlain(int bytes) {
    dropPlain();
    Block block = loop.allocatePartial(connection, Math.max(SMALLEST_PLAIN_BYTES, bytes));
    if (block == null) {
      return false;
    }
    plain = block;
    target = block.segment().asByteBuffer();
    return true;
  }

  private void showPlain() {
    Block block = plain;
    int count = target.position();
    if (block != null && count > 0) {
      plain = null;
      target = NO_ROOM;
      loop.openBatch();
      connection.input(block, 0, count);
      block.release();
    }
  }

  private void dropPlain() {
    Block block = plain;
    plain = null;
    target = NO_ROOM;
    if (block != null) {
      block.release();
    }
  }

  // ---- handshake ----------------------------------------------------------------------------

  boolean handshaking() {
    return !established;
  }

  /// The earlier of a deadline and that of the handshake.
  long deadline(long nanos) {
    if (established || failed) {
      return nanos;
    }
    return nanos == Connection.NO_DEADLINE || nanos - handshakeDeadlineNanos > 0
        ? handshakeDeadlineNanos
        : nanos;
  }

  /// Does what the engine asks for until it wants input, or nothing.
  private void proceed(HandshakeStatus asked) throws SSLException {
    HandshakeStatus status = asked;
    while (!busy) {
      switch (status) {
        case FINISHED -> {
          established();
          status = engine.getHandshakeStatus();
          if (status == HandshakeStatus.FINISHED) {
            return;
          }
        }
        case NEED_TASK -> {
          startTasks();
          return;
        }
        case NEED_WRAP -> {
          SSLEngineResult result = writer.message();
          status = result.getHandshakeStatus();
          if (result.bytesProduced() == 0 && status == HandshakeStatus.NEED_WRAP) {
            return;
          }
        }
        default -> {
          return;
        }
      }
    }
  }

  private void established() {
    if (established) {
      return;
    }
    established = true;
    renegotiable = !engine.getSession().getProtocol().equals("TLSv1.3");
    loop.counters().tlsHandshakes++;
    connection.handshakeEnded();
    if (closeWaits) {
      connection.close();
    }
    connection.markDirty();
  }

  private void startTasks() {
    busy = true;
    try {
      loop.slowPath().execute(this::runTasks);
    } catch (RuntimeException e) {
      busy = false;
      broken(e);
    }
  }

  /// On the slow path.
  private void runTasks() {
    try {
      Runnable task = engine.getDelegatedTask();
      while (task != null) {
        task.run();
        task = engine.getDelegatedTask();
      }
    } finally {
      loop.execute(this::tasksDone);
    }
  }

  private void tasksDone() {
    busy = false;
    if (connection.finished()) {
      return;
    }
    try {
      SSLEngineResult result = engine.unwrap(NOTHING, NO_ROOM); // throws what a task has thrown
      proceed(result.getHandshakeStatus());
    } catch (SSLException e) {
      fail(e);
    } catch (RuntimeException e) {
      broken(e);
    }
    if (!busy && accepts() && held.missing() == 0) {
      decryptHeld();
    }
    if (finWaits && !busy) {
      finWaits = false;
      endInput(true);
    }
    if (!connection.finished()) {
      connection.markDirty();
      connection.arm();
    }
  }

  // ---- output -------------------------------------------------------------------------------

  /// Encrypts the output as far as the socket should have it now; what is left is copied out of the
  /// staging memory. Only when nothing is with the kernel.
  ///
  /// @return false when there is no room for that
  boolean encrypt() {
    Output output = connection.output();
    connection.dirty = true; // it is being flushed: what is encrypted here needs no second flush
    if (failed) {
      output.clear();
    }
    boolean postponed = false;
    try {
      if (!busy && established) {
        postponed = encryptOutput(output);
      }
      if (connection.state == Connection.CLOSING && output.isEmpty() && !busy && !closeSent) {
        closeSent = true;
        engine.closeOutbound();
        flushAlerts();
      }
    } catch (SSLException e) {
      fail(e);
      output.clear();
      postponed = true;
    } catch (RuntimeException e) {
      broken(e);
    }
    connection.dirty = false;
    if (postponed) {
      connection.markDirty();
    }
    return output.persist(0);
  }

  /// @return whether it goes on in the next turn, because this one has staged too much
  private boolean encryptOutput(Output output) throws SSLException {
    while (!busy && !writer.full()) {
      OutSegment head = output.head();
      if (head == null || head.file != null) {
        return false;
      }
      if (loop.staging().crowded()) {
        return true;
      }
      SSLEngineResult result = writer.record(output);
      if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
        failed = true; // TLS 1.2: after the peer's close_notify nothing may follow
        output.clear();
        connection.close();
        return false;
      }
      if (result.bytesProduced() == 0 && result.bytesConsumed() == 0) {
        return false;
      }
      proceed(result.getHandshakeStatus());
    }
    return false;
  }

  /// The file at the front of the output, when it is its turn.
  @Nullable OutSegment readyFile() {
    OutSegment head = connection.output().head();
    return established && !busy && head != null && head.file != null ? head : null;
  }

  /// Whether everything has been encrypted, with the `close_notify` when the connection closes.
  boolean drained() {
    return connection.output().isEmpty() && (closeSent || connection.state != Connection.CLOSING);
  }

  // ---- end ----------------------------------------------------------------------------------

  /// Whether a close by the protocol is dealt with here: before the handshake is over there is
  /// either nothing to say, or it is said afterwards.
  boolean takesClose() {
    if (established || failed) {
      return false;
    }
    if (connection.output().isEmpty()) {
      connection.abort();
    } else {
      closeWaits = true;
    }
    return true;
  }

  boolean closeWaits() {
    return closeWaits;
  }

  /// FIN from the peer.
  void peerFin() {
    if (inputEnded) {
      if (connection.state == Connection.LINGER) {
        connection.abort();
      }
    } else if (busy) {
      finWaits = true;
    } else {
      endInput(true);
    }
  }

  private void endInput(boolean byFin) {
    inputEnded = true;
    truncated = byFin;
    if (established || failed) {
      connection.inputEnded();
    } else {
      connection.abort();
    }
  }

  /// Whether input ended without `close_notify`.
  boolean truncated() {
    return truncated;
  }

  /// Bytes of a record that ended early.
  int heldBytes() {
    return held.length();
  }

  long heldBlockBytes() {
    return held.blockBytes();
  }

  /// No more input will be decrypted.
  void dropHeld() {
    held.release();
  }

  /// The peer broke the protocol: an alert, our FIN, and no more.
  private void fail(SSLException e) {
    if (failed || connection.finished()) {
      return;
    }
    failed = true;
    loop.counters().tlsFailures++;
    LOG.log(Level.DEBUG, () -> "TLS failed: " + e.getMessage());
    flushAlerts();
    connection.close();
    connection.markDirty();
  }

  private void flushAlerts() {
    for (int i = 0; i < ALERT_ATTEMPTS; i++) {
      try {
        if (writer.message().bytesProduced() == 0) {
          return;
        }
      } catch (SSLException e) {
        LOG.log(Level.TRACE, () -> "TLS alert: " + e.getMessage());
      } catch (RuntimeException e) {
        broken(e);
        return;
      }
    }
  }

  private void overBudget() {
    loop.counters().overBudgetConnections++;
    connection.abort();
  }

  private void broken(RuntimeException e) {
    loop.counters().tlsFailures++;
    LOG.log(Level.WARNING, () -> "a TLS connection is cut off: " + e);
    connection.abort();
  }

  /// Releases everything; nothing is in flight any more.
  void release() {
    held.release();
    writer.wire().clear();
  }
}
