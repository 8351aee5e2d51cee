package sluice.host.plugin;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import sluice.host.text.TerminalText;

/// The log of one plug-in. At most one line of the same kind is logged every five seconds, so that
/// requests cannot flood the log. Each line contains the number of lines that were suppressed. This
/// class is thread-safe, and its fields are guarded by the monitor.
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
  /// @param lines a consumer that receives each line without a line terminator
  PluginLog(String prefix, Consumer<String> lines) {
    this.prefix = prefix;
    this.lines = lines;
  }

  /// Logs an event in the lifecycle of the plug-in.
  void tell(String line) {
    lines.accept(line(line));
  }

  /// Returns the log line for an event.
  String line(String line) {
    return "plug-in " + prefix + " " + TerminalText.line(line);
  }

  /// Logs a failed request. This method does not block.
  ///
  /// @param kind the kind of the line, by which the number of lines is limited
  /// @param line a supplier that creates the line if it is not suppressed
  /// @param teller the executor on which the line is logged
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
