package sluice.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.host.text.TerminalText;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.CounterValue;
import sluice.sys.WindowSize;

/// Formats the counters of processes for a terminal. If sources differ only in their number, such
/// as the loops of a server, their counters are added. Counters with the value zero are omitted,
/// and lines are arranged in columns if the window is wide enough. This class is stateless.
final class StatTable {
  private static final int NAME = 30;
  private static final int VALUE = 17;
  private static final int RATE = 12;

  /// The width of a counter including its rate.
  static final int CELL = 1 + NAME + 1 + VALUE + RATE;

  private static final String BETWEEN = "   ";

  /// The counters of a process at two times.
  ///
  /// @param before the earlier snapshot, or null if the process was not running
  /// @param seconds the time between the two snapshots in seconds
  record Look(CounterSnapshot now, @Nullable CounterSnapshot before, double seconds) {}

  /// The sum of one counter over all sources of a group.
  private static final class Sum {
    private final boolean gauge;
    private long value;
    private long before;

    private Sum(boolean gauge) {
      this.gauge = gauge;
    }
  }

  private StatTable() {}

  /// Returns the lines for a window. The last line contains the number of lines that were omitted.
  static List<String> of(List<Look> looks, WindowSize window) {
    List<String> cells = new ArrayList<>();
    for (Look look : looks) {
      cells.add(("process " + look.now.pid() + "  " + look.now.description()).strip());
      groups(look)
          .forEach((group, sums) -> {
            List<String> rows = rows(look, sums);
            if (!rows.isEmpty()) {
              cells.add(group);
              cells.addAll(rows);
            }
          });
    }
    return fitted(cells, window);
  }

  /// Returns the counters by group and name, in the order of their creation.
  private static Map<String, Map<String, Sum>> groups(Look look) {
    Map<String, Map<String, Sum>> groups = new LinkedHashMap<>();
    List<CounterValue> values = look.now.values();
    CounterSnapshot last = look.before;
    for (int i = 0; i < values.size(); i++) {
      CounterValue value = values.get(i);
      int slash = value.label().indexOf('/');
      String group = value.label().substring(0, Math.max(slash, 0)).replaceFirst("-[0-9]+$", "-*");
      Sum sum =
          groups
              .computeIfAbsent(group, _ -> new LinkedHashMap<>())
              .computeIfAbsent(value.label().substring(slash + 1), _ -> new Sum(value.gauge()));
      sum.value += value.value();
      // Labels are only appended, so an index refers to the same counter in both snapshots.
      sum.before += last != null && i < last.values().size() ? last.values().get(i).value() : 0;
    }
    return groups;
  }

  private static List<String> rows(Look look, Map<String, Sum> sums) {
    List<String> rows = new ArrayList<>();
    sums.forEach((name, sum) -> {
      if (sum.value != 0) {
        String row =
            String.format(Locale.ROOT, " %-" + NAME + "s %," + VALUE + "d", name, sum.value);
        boolean hasRate = !sum.gauge && look.before != null && look.seconds > 0;
        double rate = hasRate ? (sum.value - sum.before) / look.seconds : 0;
        rows.add(
            hasRate ? row + String.format(Locale.ROOT, " %," + (RATE - 3) + ".0f/s", rate) : row);
      }
    });
    return rows;
  }

  /// Arranges cells in columns.
  private static List<String> fitted(List<String> cells, WindowSize window) {
    int rows = Math.max(1, window.rows() - 1); // one row is for the last line
    int across = Math.max(1, (window.columns() + BETWEEN.length()) / (CELL + BETWEEN.length()));
    int shown = Math.min(cells.size(), rows * across);
    int width = across == 1 ? window.columns() : CELL;
    // The minimum number of rows is used, so that the columns have equal lengths.
    int down = Math.min(rows, (shown + across - 1) / across);
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < down; row++) {
      StringBuilder line = new StringBuilder();
      for (int at = row; at < shown; at += down) {
        String cell = TerminalText.line(cells.get(at));
        String cut = cell.length() > width ? cell.substring(0, width) : cell;
        line.append(at == row ? "" : BETWEEN).append(cut);
        line.repeat(' ', at + down < shown ? width - cut.length() : 0);
      }
      lines.add(line.toString());
    }
    int hidden = cells.size() - shown;
    String end =
        hidden == 0
            ? "Ctrl-C ends; all counters: sluice stat --once"
            : hidden + " more lines; all counters: sluice stat --once";
    lines.add(end.substring(0, Math.min(end.length(), window.columns())));
    return lines;
  }
}
