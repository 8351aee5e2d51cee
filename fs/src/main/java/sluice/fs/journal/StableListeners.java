package sluice.fs.journal;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// Listeners that wait for points in the order of changes to become stable, without a thread each.
/// Accessed under the monitor of the journal; the journal's thread calls the result of [#take]
/// outside of the monitor.
final class StableListeners {
  private static final Logger LOGGER = System.getLogger("sluice.fs");

  /// A listener and the point for which it waits.
  record Waiting(long point, FileTree.StableListener then) {}

  private List<Waiting> waiting = new ArrayList<>();

  void add(long point, FileTree.StableListener then) {
    waiting.add(new Waiting(point, then));
  }

  /// Removes and returns the listeners whose points are stable.
  List<Waiting> take(long stable) {
    List<Waiting> taken = new ArrayList<>();
    List<Waiting> rest = new ArrayList<>();
    for (Waiting each : waiting) {
      (each.point <= stable ? taken : rest).add(each);
    }
    waiting = rest;
    return taken;
  }

  /// Calls listeners.
  ///
  /// @param failure the failure, null if the points are stable
  static void tell(List<Waiting> some, @Nullable IOException failure) {
    for (Waiting each : some) {
      tell(each.then, failure);
    }
  }

  /// Calls a listener. An exception it throws is logged and does not harm the journal.
  static void tell(FileTree.StableListener then, @Nullable IOException failure) {
    try {
      then.stable(failure);
    } catch (RuntimeException | Error e) {
      LOGGER.log(Level.ERROR, "a listener for stable changes failed", e);
    }
  }
}
