package sluice.fs.journal;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// Listeners that are notified when points in the order of changes become durable, without
/// requiring a thread for each of them. The listeners are accessed under the monitor of the
/// journal, and the journal's thread invokes the result of [#take] outside of the monitor.
final class StableListeners {
  private static final Logger LOGGER = System.getLogger("sluice.fs");

  /// A listener and the point for which it is waiting.
  record Waiting(long point, FileTree.StableListener then) {}

  private List<Waiting> waiting = new ArrayList<>();

  void add(long point, FileTree.StableListener then) {
    waiting.add(new Waiting(point, then));
  }

  /// Removes and returns the listeners whose points are durable.
  List<Waiting> take(long stable) {
    List<Waiting> taken = new ArrayList<>();
    List<Waiting> rest = new ArrayList<>();
    for (Waiting each : waiting) {
      (each.point <= stable ? taken : rest).add(each);
    }
    waiting = rest;
    return taken;
  }

  /// Invokes the given listeners.
  ///
  /// @param failure the failure, or null if the points are durable
  static void tell(List<Waiting> some, @Nullable IOException failure) {
    for (Waiting each : some) {
      tell(each.then, failure);
    }
  }

  /// Invokes a listener. If it throws an exception, the exception is logged and does not affect the
  /// journal.
  static void tell(FileTree.StableListener then, @Nullable IOException failure) {
    try {
      then.stable(failure);
    } catch (RuntimeException | Error e) {
      LOGGER.log(Level.ERROR, "a listener for stable changes failed", e);
    }
  }
}
