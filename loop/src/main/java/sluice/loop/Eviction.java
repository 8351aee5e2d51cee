package sluice.loop;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.loop.input.PartialMemory;

/// Reclaims memory from the connections with the most unfinished input when a loop runs out of it,
/// so that connections with little input are not affected. Owned by the loop's thread.
///
/// Unlike output, input cannot wait for memory (see [OutputRoom]), because unfinished messages
/// would wait for each other's memory. A connection whose input is discarded is closed, but a reply
/// in progress is completed first.
final class Eviction implements PartialMemory.Evictor {
  private final Connections connections;

  Eviction(Connections connections) {
    this.connections = connections;
  }

  /// Closes the connection that holds the most unfinished input.
  ///
  /// @param asking the connection that requests a total of `bytes`, which is not closed
  /// @return false if no connection holds more than `bytes`
  @Override
  public boolean freeInput(Object asking, int bytes) {
    Connection heaviest = heaviest(c -> c.input.blockBytes(), asking);
    if (heaviest == null || heaviest.input.blockBytes() <= bytes) {
      return false;
    }
    heaviest.inputOverBudget();
    return true;
  }

  /// Returns the unfinished connection that holds the most memory, or null if none holds any.
  private @Nullable Connection heaviest(ToLongFunction<Connection> held, Object except) {
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
