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

/// The TLS layer between a connection's socket and its protocol (RFC 8446, RFC 5246). It determines
/// when output is encrypted and how each direction ends. Owned by the loop's thread.
///
/// ```
/// chunk ──TlsReader──▶ plain block ──▶ ConnectionInput ──▶ protocol
/// socket ◀──FlushQueue── wire (staged ciphertext) ◀──TlsWriter── Connection.output
/// ```
///
/// At most [TlsWriter#WIRE_BYTES] are encrypted ahead of the socket. A FIN without `close_notify`
/// may have been forged, so it is reported by [Protocol#truncated].
final class TlsLayer {
  /// The maximum size of a file chunk, which is the amount of data sent in one turn.
  static final int FILE_PIECE_BYTES = TlsWriter.WIRE_BYTES;

  /// The maximum number of attempts to obtain alerts from a failed engine, which throws some errors
  /// twice.
  private static final int ALERT_ATTEMPTS = 8;

  private static final int UNKNOWN_ROOM = -1;

  /// ```
  /// OPEN ──close_notify──▶ ENDED
  ///   ├──FIN──▶ TRUNCATED
  ///   └──FIN while tasks run──▶ FIN_WAITS ──tasks done──▶ TRUNCATED, or ENDED
  /// ```
  private enum Inbound {
    OPEN,

    /// The peer's FIN is handled when the tasks of the handshake have completed.
    FIN_WAITS,

    /// The peer has announced the end of its input.
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

  /// @param output the output staged by the protocol
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

  /// Returns the output that is written to the socket.
  Output wire() {
    return writer.wire();
  }

  // ---- input --------------------------------------------------------------------------------

  /// Handles ciphertext from a chunk that has no other holder, so it can be decrypted in place.
  void received(Block chunk, long base, int count) {
    reader.received(chunk, base, count);
  }

  /// Returns true if so much ciphertext is waiting for the slow path that receiving stops.
  boolean saturated() {
    return reader.saturated();
  }

  boolean inputEnded() {
    return inbound == Inbound.ENDED || inbound == Inbound.TRUNCATED;
  }

  boolean handshaking() {
    return !handshake.established();
  }

  /// Returns the earlier of the given deadline and the deadline of the handshake.
  long deadline(long nanos) {
    return handshake.deadline(nanos);
  }

  /// Resumes after the delegated tasks have completed and the engine may be used again.
  void tasksDone() {
    if (!handshake.busy() && reader.accepts() && reader.held().missing() == 0) {
      reader.decryptHeld();
    }
    if (inbound == Inbound.FIN_WAITS && !handshake.busy()) {
      endInput(true);
    }
  }

  // ---- output -------------------------------------------------------------------------------

  /// Encrypts as much output as the socket should receive now. Must only be called if the kernel
  /// holds none of it.
  ///
  /// @return true if encrypting continues in the next turn
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

  /// Encrypts the output that precedes the first file.
  ///
  /// @return true if encrypting continues in the next turn, because this one has staged too much
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

  /// Waits for output memory, unless ciphertext is queued, because that is sent first.
  private void awaitRoom() {
    if (writer.wire().isEmpty()) {
      connection.awaitRoom();
    }
  }

  /// Returns the file at the front of the output, or null if it cannot be sent yet.
  @Nullable OutSegment readyFile() {
    OutSegment head = output.head();
    return handshake.established() && !handshake.busy() && head != null && head.file != null
        ? head
        : null;
  }

  /// Returns true if all output has been encrypted, including the `close_notify` of a closing
  /// connection.
  boolean drained() {
    return output.isEmpty() && (closeSent || connection.state != Endpoint.State.CLOSING);
  }

  // ---- end ----------------------------------------------------------------------------------

  /// Returns true if this layer handles a close by the protocol. Before the end of the handshake,
  /// the connection is aborted if there is no output, and otherwise closed after the handshake.
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

  /// Handles the peer's FIN.
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

  /// Returns true if the input has ended without `close_notify`.
  boolean truncated() {
    return inbound == Inbound.TRUNCATED;
  }

  /// Returns the number of bytes of an incomplete record.
  int heldBytes() {
    return reader.held().length();
  }

  long heldBlockBytes() {
    return reader.held().blockBytes();
  }

  /// Discards the held ciphertext. No more input will be decrypted.
  void dropHeld() {
    reader.held().release();
  }

  boolean failed() {
    return failed;
  }

  /// Closes a connection whose peer has violated the protocol. Only an alert and a FIN are sent.
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

  /// Releases all resources. Must be called when no operation is in flight.
  void release() {
    reader.held().release();
    writer.wire().clear();
  }
}
