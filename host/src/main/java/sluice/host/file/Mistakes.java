package sluice.host.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// All that is wrong in one file or one command line, reported at once. Used by one thread.
final class Mistakes {
  /// Errors that are reported at once; the number of the others is.
  private static final int MOST_SHOWN = 20;

  private final List<WrongValue> all = new ArrayList<>();

  void add(WrongValue wrong) {
    all.add(wrong);
  }

  /// Runs a part and keeps what is wrong with it.
  ///
  /// @return false if something is
  boolean take(Runnable part) {
    try {
      part.run();
      return true;
    } catch (WrongValue e) {
      all.add(e);
      return false;
    }
  }

  boolean isNone() {
    return all.isEmpty();
  }

  /// Reports all of them, a line each, in the order of the file.
  ///
  /// @param prefix of a line about those that are not shown
  void requireNone(String prefix) {
    if (all.isEmpty()) {
      return;
    }
    List<WrongValue> ordered = new ArrayList<>(all);
    ordered.sort(Comparator.comparingInt(WrongValue::line));
    List<String> lines = new ArrayList<>();
    ordered.stream().limit(MOST_SHOWN).forEach(each -> lines.add(each.getMessage()));
    if (ordered.size() > MOST_SHOWN) {
      lines.add(
          prefix + "and " + (ordered.size() - MOST_SHOWN) + " more. Fix: correct these first");
    }
    throw new WrongValue(ordered.getFirst().line(), String.join("\n", lines));
  }
}
