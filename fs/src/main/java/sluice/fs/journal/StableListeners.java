package sluice.fs.journal;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// Listeners that wait, without a thread, to hear that a point in the order of changes is stable.
/// Under the monitor of its journal; what [#take] gives out is told without it, by the journal's
/// thread.
final class StableListeners {
  private static final Logger LOGGER = System.getLogger("sluice.fs");

  /// One of them.
  record Waiting(long point, FileTree.StableListener then) {}

  private List<Waiting> waiting = new ArrayList<>();

  void add(long point, FileTree.StableListener then) {
    waiting.add(new Waiting(point, then));
  }

  /// Takes those out whose points are stable.
  List<Waiting> take(long stable) {
    List<Waiting> taken = new ArrayList<>();
    List<Waiting> rest = new ArrayList<>();
    for (Waiting each : waiting) {
      (each.point <= stable ? taken : rest).add(each);
    }
    waiting = rest;
    return taken;
  }

  /// @param failure null when what they wait for is stable
  static void tell(List<Waiting> some, @Nullable IOException failure) {
    for (Waiting each : some) {
      tell(each.then, failure);
    }
  }

  /// A listener's mistake is not the journal's.
  static void tell(FileTree.StableListener then, @Nullable IOException failure) {
    try {
      then.stable(failure);
    } catch (RuntimeException | Error e) {
      LOGGER.log(Level.ERROR, "a listener failed that was told of stable changes", e);
    }
  }
}
