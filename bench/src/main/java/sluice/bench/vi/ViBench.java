package sluice.bench.vi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Rounds;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;

/// Measures round trips and streams between two processes, each on a processor of its own: Sluice's
/// devices, the same calls in C, sockets of the kernel, Aeron. A pair of processes serves all
/// cases; a pair that is not being measured waits for its standard input. Used by the harness's
/// main thread.
public final class ViBench implements Bench {
  private static final String NAME = "vi";
  private static final String METRIC = "ns_per_call";
  private static final List<ViCase> CASES = ViCase.all();

  /// The first cases of a fresh pair, so that its compilers have seen both kinds and several
  /// lengths.
  private static final List<ViCase> WARM_UP =
      CASES.stream().filter(each -> each.bytes() == 64 || each.bytes() == 4 << 10).toList();

  /// The divisor of the warm-up time for warming up a pair again before each case.
  private static final int AGAIN = 5;

  /// The number of consecutive windows of a warm-up without an improvement that end it.
  private static final int STEADY_WINDOWS = 4;

  /// The greatest number of windows of a warm-up.
  private static final int MOST_WINDOWS = 60;

  /// A window counts as faster if it takes less than this fraction of the fastest before.
  private static final double FASTER = 0.97;

  /// Compilers count as idle if they work for less than this fraction of a window.
  private static final double RESTING = 0.05;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "two processes, one core each";
  }

  @Override
  public String list() {
    StringBuilder out = new StringBuilder();
    for (ViCase each : CASES) {
      out.append(NAME).append(": ").append(each.name()).append(each.quick() ? " (quick)" : "");
      out.append("\n    ").append(String.join(", ", each.systems())).append('\n');
    }
    return out.toString();
  }

  private static List<ViCase> selected(Options options) {
    return CaseChoice.of(options, CASES, ViCase::name, ViCase::quick);
  }

  @Override
  public void check(Options options) {
    List<ViCase> selected = selected(options);
    CaseChoice.checkPeers(
        this, options, peer -> selected.stream().anyMatch(each -> each.systems().contains(peer)));
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    Map<String, ViPair> pairs = new LinkedHashMap<>();
    Map<String, String> failures = new LinkedHashMap<>();
    try (MachineLock _ = MachineLock.acquire()) {
      for (ViCase each : selected(harness.options())) {
        done.accept(run(harness, each, pairs, failures));
      }
    } finally {
      pairs.values().forEach(ViPair::close);
    }
  }

  private CaseResult run(
      Harness harness, ViCase exchange, Map<String, ViPair> pairs, Map<String, String> failures)
      throws IOException {
    Options options = harness.options();
    Map<Series, ViPair> running = new LinkedHashMap<>();
    Map<String, String> failed = new LinkedHashMap<>();
    for (String system : exchange.systems()) {
      if (options.peers().isEmpty() || options.peers().contains(system)) {
        ViPair pair = pair(harness, system, system, pairs, failures);
        if (pair == null) {
          failed.put(system, String.valueOf(failures.get(system)));
        } else {
          running.put(new Series(system, false), pair);
        }
      }
    }
    if (!running.isEmpty()) {
      String first = running.keySet().iterator().next().label();
      ViPair control = pair(harness, first, first + " (A/A)", pairs, failures);
      if (control != null) {
        running.put(new Series(first, true), control);
      }
    }
    for (ViPair pair : running.values()) {
      warm(pair, exchange, options.warmSeconds() / AGAIN);
    }
    double before = harness.regime().probe();
    for (int round = 0; round < options.rounds(); round++) {
      StringBuilder line = new StringBuilder();
      for (Series series : Rounds.inTurn(running.keySet(), round)) {
        ViPair pair = running.get(series);
        if (pair != null) {
          Map<String, Double> metrics = pair.measure(exchange, options.seconds());
          double after = harness.regime().probe();
          Regime.note(metrics, before, after);
          before = after;
          series.addRound(metrics);
          line.append("  %s %.0f".formatted(series.label(), metrics.get(METRIC)));
        }
      }
      Progress.say(
          "[%s] round %d/%d ns:%s".formatted(exchange.name(), round + 1, options.rounds(), line));
    }
    return new CaseResult(NAME, exchange.name(), List.copyOf(running.keySet()), failed);
  }

  /// Runs an exchange until no window was faster than the earlier ones for `seconds` in all, and
  /// the compilers of both ends were idle: the thread of a device is compiled later than that of
  /// its application.
  private static void warm(ViPair pair, ViCase exchange, double seconds) throws IOException {
    double window = seconds / STEADY_WINDOWS;
    double least = Double.MAX_VALUE;
    int steady = 0;
    for (int i = 0; i < MOST_WINDOWS && steady < STEADY_WINDOWS; i++) {
      long compiled = pair.compilerNanos();
      double nanos = Objects.requireNonNull(pair.measure(exchange, window).get(METRIC));
      boolean rested = pair.compilerNanos() - compiled < RESTING * window * 1e9;
      boolean faster = nanos < FASTER * least;
      least = faster ? nanos : least;
      steady = rested && !faster ? steady + 1 : 0;
    }
    if (steady < STEADY_WINDOWS) {
      Progress.say("[%s] not steady after %d windows".formatted(exchange.name(), MOST_WINDOWS));
    }
  }

  /// @return null if it could not be started; `failures` has the reason
  private static @Nullable ViPair pair(
      Harness harness,
      String system,
      String name,
      Map<String, ViPair> pairs,
      Map<String, String> failures) {
    ViPair pair = pairs.get(name);
    if (pair == null && !failures.containsKey(system)) {
      Progress.say("starting " + name);
      try {
        pair = ViPair.start(harness, system, pairs.size() + failures.size());
        pairs.put(name, pair);
        for (ViCase each : WARM_UP) {
          if (each.systems().contains(system)) {
            warm(pair, each, harness.options().warmSeconds());
          }
        }
      } catch (IOException e) {
        failures.put(system, String.valueOf(e.getMessage()));
        Progress.say("FAILED: " + e.getMessage());
      }
    }
    return pair;
  }

  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    return ViPlot.render(new ArrayList<>(results), CASES, subtitle);
  }
}
