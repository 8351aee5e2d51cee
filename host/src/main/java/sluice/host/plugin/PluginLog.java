package sluice.host.plugin;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import sluice.host.text.TerminalText;

/// Log lines of one plug-in. A line of a kind is followed by the next of that kind after five
/// seconds at the soonest, which then says how many were left out: requests cannot fill the log.
/// Any thread; all fields are under the monitor.
final class PluginLog {
  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final class Kind {
    long nextNanos;
    long leftOut;
  }

  private final String prefix;
  private final Consumer<String> lines;
  private final Map<String, Kind> kinds = new HashMap<>();

  /// @param lines told one line each, without its end
  PluginLog(String prefix, Consumer<String> lines) {
    this.prefix = prefix;
    this.lines = lines;
  }

  /// Tells an event of the plug-in's life.
  void tell(String line) {
    lines.accept(line(line));
  }

  /// Returns an event of the plug-in's life as the log shows it.
  String line(String line) {
    return "plug-in " + prefix + " " + TerminalText.line(line);
  }

  /// A request that did not go well. Does not block.
  ///
  /// @param kind lines of one kind are those that leave each other out
  /// @param line made if it is told
  /// @param teller runs what tells it
  void tell(String kind, Supplier<String> line, Executor teller) {
    long leftOut;
    synchronized (this) {
      long now = System.nanoTime();
      Kind known = kinds.get(kind);
      if (known == null) {
        known = new Kind();
        kinds.put(kind, known);
      } else if (now - known.nextNanos < 0) {
        known.leftOut++;
        return;
      }
      known.nextNanos = now + APART_NANOS;
      leftOut = known.leftOut;
      known.leftOut = 0;
    }
    String more = leftOut == 0 ? "" : " (and " + leftOut + " more since the last such line)";
    try {
      teller.execute(() -> tell(line.get() + more));
    } catch (RejectedExecutionException e) {
      tell(line.get() + more); // the server ends
    }
  }
}
