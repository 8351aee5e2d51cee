package sluice.loop;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import sluice.loop.sockets.Log;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.memory.block.Block;

/// Calls foreign code: protocols, and pieces of slow replies. On the loop's thread; code that
/// throws loses the connection it was called for, and no other.
final class ProtocolCalls {
  private final Loop loop;
  private final Account copies;
  private @Nullable HandledInput input;

  /// @param copies charged with what handlers keep by copying
  ProtocolCalls(Loop loop, Account copies) {
    this.loop = loop;
    this.copies = copies;
  }

  /// Views belong to the thread that turns the loop, from its first turn on.
  void ownedBy(Thread owner) {
    input = new HandledInput(new ViewBinder(owner), loop, copies);
  }

  /// The input that is being shown.
  HandledInput input() {
    HandledInput shown = input;
    if (shown == null) {
      throw new IllegalStateException("the loop has not turned yet");
    }
    return shown;
  }

  /// Shows bytes.
  ///
  /// @return bytes consumed
  int deliver(Connection connection, Block block, long base, int count) {
    HandledInput shown = input();
    loop.admission().busy(connection);
    View view = shown.begin(connection, block, base, count);
    int used = count;
    try {
      used = connection.listener.protocol.received(connection, view);
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

  void caughtUp(Connection connection) {
    try {
      connection.listener.protocol.caughtUp(connection);
    } catch (RuntimeException | Error e) {
      failed(connection, e);
    }
  }

  void opened(Connection connection) {
    guarded(connection, () -> connection.listener.protocol.opened(connection));
  }

  void overloaded(Connection connection) {
    guarded(connection, () -> connection.listener.protocol.overloaded(connection));
  }

  void draining(Connection connection) {
    guarded(connection, () -> connection.listener.protocol.draining(connection));
  }

  /// Shows the rest, an unfinished message.
  void leftOver(Connection connection, Block block, int count) {
    HandledInput shown = input();
    View view = shown.begin(connection, block, 0, count);
    try {
      connection.listener.protocol.leftOver(connection, view);
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
    guarded(connection, () -> connection.listener.protocol.timedOut(connection));
  }

  void sent(Connection connection) {
    guarded(connection, () -> connection.listener.protocol.sent(connection));
  }

  void stage(ReplyTicket.Piece piece, Connection connection) {
    guarded(connection, () -> piece.stage(connection));
  }

  /// The connection has left the table: there is nothing to end.
  void closed(Connection connection) {
    try {
      connection.listener.protocol.closed(connection);
    } catch (RuntimeException | Error e) {
      loop.counters().handlerFailures++;
      Log.LOGGER.log(Level.ERROR, () -> loop.name() + ": a protocol's closed() failed", e);
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
    loop.counters().handlerFailures++;
    Log.LOGGER.log(
        Level.ERROR, () -> loop.name() + ": a handler failed; its connection is closed", e);
    connection.abort();
  }
}
