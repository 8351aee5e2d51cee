package sluice.loop;

import java.lang.System.Logger.Level;
import sluice.loop.sockets.Log;
import sluice.memory.View;
import sluice.memory.block.Block;

/// Invokes foreign code, which consists of protocols and parts of slow replies, on the loop's
/// thread. If the code throws an exception, only the connection for which it was called is closed.
final class ProtocolCalls {
  private final String name;
  private final LoopCounters counters;
  private final HandledInput shown;

  /// @param name the name of the loop, for reports
  /// @param shown the input that is being handled
  ProtocolCalls(String name, LoopCounters counters, HandledInput shown) {
    this.name = name;
    this.counters = counters;
    this.shown = shown;
  }

  /// Shows bytes to the protocol.
  ///
  /// @return the number of bytes consumed
  int deliver(Connection connection, Block block, long base, int count) {
    connection.busy();
    View view = shown.begin(connection, block, base, count);
    int used = count;
    try {
      used = connection.protocol.received(connection, view);
      if (used < 0 || used > count) {
        throw new IllegalStateException("protocol consumed " + used + " of " + count + " bytes");
      }
    } catch (RuntimeException | Error e) {
      failed(connection, e);
      used = count;
    } finally {
      shown.end();
    }
    return used;
  }

  /// Shows bytes of a preface to the protocol.
  ///
  /// @return the number of bytes consumed
  int preface(Connection connection, Block block, long base, int count) {
    View view = shown.begin(connection, block, base, count);
    try {
      return Math.clamp(connection.protocol.preface(connection, view), 0, count);
    } catch (RuntimeException | Error e) {
      failed(connection, e);
      return count;
    } finally {
      shown.end();
    }
  }

  void caughtUp(Connection connection) {
    try {
      connection.protocol.caughtUp(connection);
    } catch (RuntimeException | Error e) {
      failed(connection, e);
    }
  }

  void opened(Connection connection) {
    guarded(connection, () -> connection.protocol.opened(connection));
  }

  void overloaded(Connection connection) {
    guarded(connection, () -> connection.protocol.overloaded(connection));
  }

  /// Returns true if the connection may be closed for another client.
  boolean mayMakeRoom(Endpoint endpoint) {
    if (!(endpoint instanceof Connection connection)) {
      return true;
    }
    try {
      return connection.protocol.mayMakeRoom(connection);
    } catch (RuntimeException | Error e) {
      failed(connection, e);
      return false;
    }
  }

  void makesRoom(Endpoint endpoint) {
    if (endpoint instanceof Connection connection) {
      guarded(connection, () -> connection.protocol.makesRoom(connection));
    }
  }

  void draining(Connection connection) {
    guarded(connection, () -> connection.protocol.draining(connection));
  }

  /// Shows the remaining bytes of an unfinished message.
  void leftOver(Connection connection, Block block, int count) {
    View view = shown.begin(connection, block, 0, count);
    try {
      connection.protocol.leftOver(connection, view);
    } catch (RuntimeException | Error e) {
      failed(connection, e);
    } finally {
      shown.end();
    }
  }

  void ended(Connection connection, int leftover) {
    guarded(connection, () -> connection.tellEnd(leftover));
  }

  void timedOut(Connection connection) {
    guarded(connection, () -> connection.protocol.timedOut(connection));
  }

  void sent(Connection connection) {
    guarded(connection, () -> connection.protocol.sent(connection));
  }

  void stage(ReplyTicket.Piece piece, Connection connection) {
    guarded(connection, () -> piece.stage(connection));
  }

  /// Notifies the protocol that the connection has left the table. A failure therefore has no
  /// connection to close.
  void closed(Connection connection) {
    try {
      connection.protocol.closed(connection);
    } catch (RuntimeException | Error e) {
      counters.handlerFailures++;
      Log.LOGGER.log(Level.ERROR, () -> name + ": a protocol's closed() failed", e);
    }
  }

  private void guarded(Connection connection, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      failed(connection, e);
    }
  }

  private void failed(Connection connection, Throwable e) {
    counters.handlerFailures++;
    Log.LOGGER.log(Level.ERROR, () -> name + ": a handler failed; its connection is closed", e);
    connection.abort();
  }
}
