package sluice.cli.console;

import java.io.PrintWriter;
import java.util.Locale;

/// Displays the progress of a long operation. One line per second is printed, and nothing is
/// printed if the operation takes less than a second. Instances are confined to the thread that
/// executes the operation.
public final class Progress {
  private static final long INTERVAL_NANOS = 1_000_000_000L;

  private final PrintWriter to;
  private final String unit;
  private final long total;
  private long last = System.nanoTime();
  private boolean shown;

  /// Creates a progress display.
  ///
  /// @param to the output
  /// @param unit the name of the unit
  /// @param total the final value, or 0 if it is not known
  public Progress(PrintWriter to, String unit, long total) {
    this.to = to;
    this.unit = unit;
    this.total = total;
  }

  public void at(long done) {
    long now = System.nanoTime();
    if (now - last >= INTERVAL_NANOS) {
      last = now;
      shown = true;
      if (total > 0) {
        to.printf(Locale.ROOT, "… %d of %d %s%n", done, total, unit);
      } else {
        to.printf(Locale.ROOT, "… %d %s%n", done, unit);
      }
      to.flush();
    }
  }

  public void end() {
    if (shown) {
      to.println("… done");
      to.flush();
    }
  }
}
