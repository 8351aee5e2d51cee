package sluice.host.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The errors in one file or one command line, which are reported together. This class is not
/// thread-safe.
final class Mistakes {
  /// The maximum number of reported errors. If there are more, only their number is reported.
  private static final int MOST_SHOWN = 20;

  private final List<WrongValue> all = new ArrayList<>();

  void add(WrongValue wrong) {
    all.add(wrong);
  }

  /// Executes a part of the reading and records its error.
  ///
  /// @return false if there was an error
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

  /// Throws all errors, one per line, in the order of the file.
  ///
  /// @param prefix the prefix of the line about errors that are not reported
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
