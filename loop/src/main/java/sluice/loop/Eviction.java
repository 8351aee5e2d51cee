package sluice.loop;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;

/// Ends the connections that hold most of a loop's memory when it runs short, so that whoever needs
/// a little of it is not the one who pays. Owned by the loop's thread.
///
/// Unfinished input is freed at once: there is room again for who asks. Blocked output may be with
/// the kernel and is freed a turn later; therefore some is ended before none is left.
final class Eviction {
  private final Connections connections;
  private final LoopCounters counters;
  private final Account output;
  private final long outputHighBytes;

  /// @param output charged for blocked output
  Eviction(Connections connections, LoopCounters counters, Account output) {
    this.connections = connections;
    this.counters = counters;
    this.output = output;
    this.outputHighBytes = output.limitBytes() - output.limitBytes() / 8;
  }

  /// Ends who holds most unfinished input.
  ///
  /// @param asking wants `bytes` in all; is not ended
  /// @return false when nobody holds more than that
  boolean freeInput(Connection asking, int bytes) {
    Connection heaviest = heaviest(c -> c.input.blockBytes(), asking);
    if (heaviest == null || heaviest.input.blockBytes() <= bytes) {
      return false;
    }
    end(heaviest);
    return true;
  }

  /// Ends those who hold most blocked output until little enough is held. Once a turn.
  void relieve() {
    long excess = output.usedBytes() - outputHighBytes;
    while (excess > 0) {
      Connection heaviest = heaviest(Connection::persistedBytes, null);
      if (heaviest == null) {
        return;
      }
      excess -= heaviest.persistedBytes();
      end(heaviest);
    }
  }

  private void end(Connection connection) {
    counters.overBudgetConnections++;
    connection.abort();
  }

  /// Who holds most, of those that are not ended already; null when nobody holds anything.
  private @Nullable Connection heaviest(
      ToLongFunction<Connection> held, @Nullable Connection except) {
    Connection found = null;
    long most = 0;
    for (int i = 0; i < connections.capacity(); i++) {
      Connection each = connections.at(i);
      if (each != null && each != except && !each.finished()) {
        long bytes = held.applyAsLong(each);
        if (bytes > most) {
          most = bytes;
          found = each;
        }
      }
    }
    return found;
  }
}
