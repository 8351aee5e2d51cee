package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Measures how fast the server's processor is at the moment, by a piece of fixed work that takes a
/// few milliseconds. Used by the harness's main thread while every server is stopped.
///
/// A virtual machine's host has fast and slow regimes that last seconds, and they differ by more
/// than most systems do. The probe runs before and after each window, and two windows form a pair
/// only if all four probes agree.
public final class Regime {
  /// The slowest probe of a window, in nanoseconds.
  public static final String SLOWEST = "regime_ns";

  /// The fastest probe of a window.
  public static final String FASTEST = "regime_least_ns";

  /// The greatest ratio between probes of a pair. Probes of one regime differ by 0.01.
  private static final double SAME = 1.06;

  private final Path program;
  private final int cpu;

  /// @param cpu core of the servers
  public Regime(Workspace workspace, int cpu) throws IOException {
    this.program = workspace.regimeProbe();
    this.cpu = cpu;
  }

  /// Returns the nanoseconds that the fixed piece of work takes now.
  public double probe() throws IOException {
    String text =
        Commands.run(10, List.of("taskset", "-c", Integer.toString(cpu), program.toString()));
    return Double.parseDouble(text.strip());
  }

  /// Adds the probes before and after a window to its metrics.
  public static void note(Map<String, Double> metrics, double before, double after) {
    metrics.put(SLOWEST, Math.max(before, after));
    metrics.put(FASTEST, Math.min(before, after));
  }

  /// Returns true if two windows, each given by its slowest and fastest probe, were in one regime.
  public static boolean same(
      double slowest, double fastest, double otherSlowest, double otherFastest) {
    return Math.max(slowest, otherSlowest) <= SAME * Math.min(fastest, otherFastest);
  }
}
