package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Tells how fast the server's processor is just now, from a piece of fixed work that takes a few
/// milliseconds. Used by the harness's main thread while every server is stopped.
///
/// A virtual machine's host has fast and slow regimes that last seconds, and they differ by more
/// than most systems do. The probe runs before and after each window, and two windows are a pair
/// only when all four probes agree.
public final class Regime {
  /// The slowest probe of a window, in nanoseconds.
  public static final String SLOWEST = "regime_ns";

  /// The fastest one.
  public static final String FASTEST = "regime_least_ns";

  /// How far the probes of a pair may be apart. Probes of one regime differ by 0.01.
  private static final double SAME = 1.06;

  private final Path program;
  private final int cpu;

  /// @param cpu core of the servers
  public Regime(Workspace workspace, int cpu) throws IOException {
    this.program = workspace.regimeProbe();
    this.cpu = cpu;
  }

  /// Nanoseconds that a fixed piece of work takes now.
  public double probe() throws IOException {
    String text =
        Commands.run(10, List.of("taskset", "-c", Integer.toString(cpu), program.toString()));
    return Double.parseDouble(text.strip());
  }

  /// Notes the probes before and after a window among its metrics.
  public static void note(Map<String, Double> metrics, double before, double after) {
    metrics.put(SLOWEST, Math.max(before, after));
    metrics.put(FASTEST, Math.min(before, after));
  }

  /// Whether two windows, each given by its slowest and fastest probe, were in one regime.
  public static boolean same(
      double slowest, double fastest, double otherSlowest, double otherFastest) {
    return Math.max(slowest, otherSlowest) <= SAME * Math.min(fastest, otherFastest);
  }
}
