package sluice.loop;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/// The handshake of a TLS connection with its deadline and its delegated tasks. Owned by the loop's
/// thread. Only the tasks run on the slow path. While they run, the loop does not access the
/// engine, because the tasks hold its lock.
final class TlsHandshake {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Endpoint connection;
  private final LoopParts loop;
  private final SSLEngine engine;
  private final TlsLayer layer;
  private final TlsWriter writer;
  private final long handshakeDeadlineNanos;

  private boolean established;
  private boolean renegotiable;

  /// True while delegated tasks run on the slow path.
  private boolean busy;

  /// True if the protocol has closed before the end of the handshake and has output to be sent
  /// first.
  private boolean closeWaits;

  TlsHandshake(
      LoopParts loop,
      Endpoint connection,
      SSLEngine engine,
      TlsLayer layer,
      TlsWriter writer,
      long timeoutNanos) {
    this.connection = connection;
    this.loop = loop;
    this.engine = engine;
    this.layer = layer;
    this.writer = writer;
    this.handshakeDeadlineNanos = loop.turn().now() + timeoutNanos;
  }

  boolean busy() {
    return busy;
  }

  boolean established() {
    return established;
  }

  /// Returns true if the peer could request a renegotiation, which is refused.
  boolean renegotiable() {
    return renegotiable;
  }

  boolean closeWaits() {
    return closeWaits;
  }

  /// Closes the connection when the handshake has completed.
  void closeAfterwards() {
    closeWaits = true;
  }

  /// Returns the earlier of the given deadline and the deadline of the handshake.
  long deadline(long nanos) {
    if (established || layer.failed()) {
      return nanos;
    }
    return nanos == Endpoint.NO_DEADLINE || nanos - handshakeDeadlineNanos > 0
        ? handshakeDeadlineNanos
        : nanos;
  }

  /// Performs the steps that the engine requests until it needs input or has nothing left to do.
  void proceed(HandshakeStatus asked) throws SSLException {
    HandshakeStatus status = asked;
    while (!busy) {
      switch (status) {
        case FINISHED -> {
          finished();
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

  private void finished() {
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
      layer.broken(e);
    }
  }

  /// Runs the delegated tasks. Must be called on the slow path.
  private void runTasks() {
    try {
      Runnable task = engine.getDelegatedTask();
      while (task != null) {
        task.run();
        task = engine.getDelegatedTask();
      }
    } finally {
      loop.tasks().execute(this::tasksDone);
    }
  }

  private void tasksDone() {
    busy = false;
    if (connection.finished()) {
      return;
    }
    try {
      SSLEngineResult result =
          engine.unwrap(NOTHING, TlsReader.NO_ROOM); // throws what a task has thrown
      proceed(result.getHandshakeStatus());
    } catch (SSLException e) {
      layer.fail(e);
    } catch (RuntimeException e) {
      layer.broken(e);
    }
    layer.tasksDone();
    if (!connection.finished()) {
      connection.markDirty();
      connection.armInput();
    }
  }
}
