package sluice.host.plugin;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import sluice.host.text.TerminalText;

/// The log lines of one plug-in. Lines of the same kind are at least five seconds apart; each tells
/// how many were left out, so that requests cannot fill the log. Thread-safe; the fields are
/// guarded by the monitor.
final class PluginLog {
  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final class Kind {
    long nextNanos;
    long leftOut;
  }

  private final String prefix;
  private final Consumer<String> lines;
  private final Map<String, Kind> kinds = new HashMap<>();

  /// Creates a log.
  ///
  /// @param lines receives each line without its line end
  PluginLog(String prefix, Consumer<String> lines) {
    this.prefix = prefix;
    this.lines = lines;
  }

  /// Logs an event in the life of the plug-in.
  void tell(String line) {
    lines.accept(line(line));
  }

  /// Returns the log line of an event.
  String line(String line) {
    return "plug-in " + prefix + " " + TerminalText.line(line);
  }

  /// Logs a failed request. Does not block.
  ///
  /// @param kind the kind of line, by which lines are limited
  /// @param line creates the line if it is not left out
  /// @param teller runs the logging
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
      tell(line.get() + more); // the server is ending
    }
  }
}
