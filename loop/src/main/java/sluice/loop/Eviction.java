package sluice.loop;

import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.loop.input.PartialMemory;

/// Takes memory from the connections that hold most unfinished input when a loop runs short of it,
/// so that a connection that needs a little of it does not pay. Owned by the loop's thread.
///
/// Input cannot wait as output can, see [OutputRoom]: messages that are all unfinished would wait
/// for one another's memory. A connection whose input is dropped ends; a reply that is under way on
/// it is finished before.
final class Eviction implements PartialMemory.Evictor {
  private final Connections connections;

  Eviction(Connections connections) {
    this.connections = connections;
  }

  /// Ends the connection that holds most unfinished input.
  ///
  /// @param asking wants `bytes` in all; is not ended
  /// @return false when none holds more than that
  @Override
  public boolean freeInput(Object asking, int bytes) {
    Connection heaviest = heaviest(c -> c.input.blockBytes(), asking);
    if (heaviest == null || heaviest.input.blockBytes() <= bytes) {
      return false;
    }
    heaviest.inputOverBudget();
    return true;
  }

  /// The holder of most, of those that are not ended already; null when none holds anything.
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
