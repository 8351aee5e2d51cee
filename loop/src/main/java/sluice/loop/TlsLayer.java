package sluice.loop;

import java.lang.System.Logger.Level;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import sluice.loop.output.OutSegment;
import sluice.loop.sockets.Log;
import sluice.loop.tls.TlsContext;
import sluice.memory.block.Block;

/// TLS between a connection's socket and its protocol (RFC 8446, RFC 5246): what is encrypted when,
/// and how either direction ends. Owned by the loop's thread.
///
/// ```
/// chunk ──TlsReader──▶ plain block ──▶ ConnectionInput ──▶ protocol
/// socket ◀──FlushQueue── wire (staged ciphertext) ◀──TlsWriter── Connection.output
/// ```
///
/// At most [TlsWriter#WIRE_BYTES] are encrypted ahead of the socket. A FIN without `close_notify`
/// may be forged: the protocol hears of it by [Protocol#truncated].
final class TlsLayer {
  /// What one piece of a file may hold: as much as leaves in one turn.
  static final int FILE_PIECE_BYTES = TlsWriter.WIRE_BYTES;

  /// Attempts to get alerts out of a broken engine, which throws some errors twice.
  private static final int ALERT_ATTEMPTS = 8;

  private static final int UNKNOWN_ROOM = -1;

  /// ```
  /// OPEN ──close_notify──▶ ENDED
  ///   ├──FIN──▶ TRUNCATED
  ///   └──FIN while tasks run──▶ FIN_WAITS ──tasks done──▶ TRUNCATED, or ENDED
  /// ```
  private enum Inbound {
    OPEN,

    /// The peer's FIN is looked at when the tasks of the handshake are done.
    FIN_WAITS,

    /// The peer has said that it sends no more.
    ENDED,

    /// Input ended without `close_notify`.
    TRUNCATED
  }

  private final Endpoint connection;
  private final LoopParts loop;
  private final Output output;
  private final SSLEngine engine;
  private final TlsHandshake handshake;
  private final TlsReader reader;
  private final TlsWriter writer;
  private boolean failed;

  private Inbound inbound = Inbound.OPEN;
  private boolean closeSent;

  /// @param output what the protocol stages
  TlsLayer(LoopParts loop, Endpoint connection, Output output, TlsContext context) {
    this.connection = connection;
    this.loop = loop;
    this.output = output;
    this.engine = context.engine(loop.turn().now(), loop.slowPath());
    Output wire = new Output(loop, connection);
    this.writer = new TlsWriter(loop.outputMemory(), connection, wire, engine);
    long timeoutNanos = context.options().handshakeTimeoutNanos();
    this.handshake = new TlsHandshake(loop, connection, engine, this, writer, timeoutNanos);
    this.reader = new TlsReader(loop, connection, engine, this, handshake);
  }

  /// What goes to the socket.
  Output wire() {
    return writer.wire();
  }

  // ---- input --------------------------------------------------------------------------------

  /// Ciphertext came in a chunk that has no other holder: it is decrypted in place.
  void received(Block chunk, long base, int count) {
    reader.received(chunk, base, count);
  }

  /// Whether so much waits for the slow path that receiving stops.
  boolean saturated() {
    return reader.saturated();
  }

  boolean inputEnded() {
    return inbound == Inbound.ENDED || inbound == Inbound.TRUNCATED;
  }

  boolean handshaking() {
    return !handshake.established();
  }

  /// The earlier of a deadline and that of the handshake.
  long deadline(long nanos) {
    return handshake.deadline(nanos);
  }

  /// The engine may be used again: go on where the tasks have interrupted.
  void tasksDone() {
    if (!handshake.busy() && reader.accepts() && reader.held().missing() == 0) {
      reader.decryptHeld();
    }
    if (inbound == Inbound.FIN_WAITS && !handshake.busy()) {
      endInput(true);
    }
  }

  // ---- output -------------------------------------------------------------------------------

  /// Encrypts the output as far as the socket should have it now. Only when nothing is with the
  /// kernel.
  ///
  /// @return whether it goes on in the next turn
  boolean encrypt() {
    if (failed) {
      output.clear();
    }
    boolean postponed = false;
    try {
      if (!handshake.busy() && handshake.established()) {
        postponed = encryptOutput();
      }
      if (connection.state == Endpoint.State.CLOSING
          && output.isEmpty()
          && !handshake.busy()
          && !closeSent) {
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
    return postponed;
  }

  /// @return whether it goes on in the next turn, because this one has staged too much
  private boolean encryptOutput() throws SSLException {
    int room = UNKNOWN_ROOM;
    while (!handshake.busy() && !writer.full(room > 0 ? room : TlsWriter.WIRE_BYTES)) {
      OutSegment head = output.head();
      if (head == null || head.file != null) {
        return false;
      }
      if (loop.outputMemory().staging().crowded()) {
        return true;
      }
      if (room == UNKNOWN_ROOM) {
        room = loop.outputRoom().piece(connection, TlsWriter.WIRE_BYTES);
      }
      if (room == 0 && !head.counted()) {
        awaitRoom();
        return false;
      }
      SSLEngineResult result = writer.record(output, room);
      if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
        failed = true; // TLS 1.2: after the peer's close_notify nothing may follow
        output.clear();
        connection.close();
        return false;
      }
      if (result.bytesProduced() == 0 && result.bytesConsumed() == 0) {
        return false;
      }
      handshake.proceed(result.getHandshakeStatus());
    }
    return false;
  }

  /// Ciphertext that waits goes first.
  private void awaitRoom() {
    if (writer.wire().isEmpty()) {
      connection.awaitRoom();
    }
  }

  /// The file at the front of the output, when it is its turn.
  @Nullable OutSegment readyFile() {
    OutSegment head = output.head();
    return handshake.established() && !handshake.busy() && head != null && head.file != null
        ? head
        : null;
  }

  /// Whether everything has been encrypted, with the `close_notify` when the connection closes.
  boolean drained() {
    return output.isEmpty() && (closeSent || connection.state != Endpoint.State.CLOSING);
  }

  // ---- end ----------------------------------------------------------------------------------

  /// Whether a close by the protocol is dealt with here: before the handshake is over there is
  /// either nothing to say, or it is said afterwards.
  boolean takesClose() {
    if (handshake.established() || failed) {
      return false;
    }
    if (output.isEmpty()) {
      connection.abort();
    } else {
      handshake.closeAfterwards();
    }
    return true;
  }

  boolean closeWaits() {
    return handshake.closeWaits();
  }

  /// FIN from the peer.
  void peerFin() {
    if (inputEnded()) {
      if (connection.state == Endpoint.State.LINGER) {
        connection.abort();
      }
    } else if (handshake.busy()) {
      inbound = Inbound.FIN_WAITS;
    } else {
      endInput(true);
    }
  }

  void endInput(boolean byFin) {
    inbound = byFin ? Inbound.TRUNCATED : Inbound.ENDED;
    if (handshake.established() || failed) {
      connection.endInput();
    } else {
      connection.abort();
    }
  }

  /// Whether input ended without `close_notify`.
  boolean truncated() {
    return inbound == Inbound.TRUNCATED;
  }

  /// Bytes of a record that ended early.
  int heldBytes() {
    return reader.held().length();
  }

  long heldBlockBytes() {
    return reader.held().blockBytes();
  }

  /// No more input will be decrypted.
  void dropHeld() {
    reader.held().release();
  }

  boolean failed() {
    return failed;
  }

  /// The peer broke the protocol: an alert, our FIN, and no more.
  void fail(SSLException e) {
    if (failed || connection.finished()) {
      return;
    }
    failed = true;
    loop.counters().tlsFailures++;
    Log.LOGGER.log(Level.DEBUG, () -> "TLS failed: " + e.getMessage());
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
        Log.LOGGER.log(Level.TRACE, () -> "TLS alert: " + e.getMessage());
      } catch (RuntimeException e) {
        broken(e);
        return;
      }
    }
  }

  void broken(RuntimeException e) {
    loop.counters().tlsFailures++;
    Log.LOGGER.log(Level.WARNING, () -> "a TLS connection is cut off: " + e);
    connection.abort();
  }

  /// Releases everything; nothing is in flight any more.
  void release() {
    reader.held().release();
    writer.wire().clear();
  }
}
