package sluice.loop;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.loop.input.PartialMemory;

/// An evictor that takes memory from the connections with the most unfinished input when a loop
/// runs short, so that a connection that needs little does not suffer. Owned by the loop's thread.
///
/// Input cannot wait for memory as output can, see [OutputRoom]: unfinished messages would wait for
/// one another's memory. A connection whose input is dropped ends, but a reply in progress is
/// finished first.
final class Eviction implements PartialMemory.Evictor {
  private final Connections connections;

  Eviction(Connections connections) {
    this.connections = connections;
  }

  /// Ends the connection that holds the most unfinished input.
  ///
  /// @param asking the connection that asks for `bytes` in all, which is not ended
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

  /// Returns the unfinished connection that holds the most; null if none holds anything.
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
