package sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.CaseBench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.LinePlot;
import sluice.bench.cases.SvgPlot;
import sluice.bench.run.Harness;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Progress;
import sluice.bench.run.Series;

/// `sluice bench handler`: the cases of [HandlerCases], and a line plot of the cost of long
/// handlers for the other requests. Used by the harness's main thread.
final class HandlerBench extends CaseBench {
  private static final double MOST_RATIO = 1.25;

  HandlerBench() {
    super("handler", HandlerCases::all);
  }

  /// Runs the cases, and prints the advice that follows from the figures, see [#advisedMicros].
  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    List<CaseResult> results = new ArrayList<>();
    super.run(
        harness,
        result -> {
          results.add(result);
          done.accept(result);
        });
    OptionalInt advised = advisedMicros(results);
    Progress.say(
        advised.isEmpty()
            ? "no advice for a handler's time: two of the systems are missing"
            : "a handler may run for "
                + advised.getAsInt()
                + " us: no time up to there is shown to bring the p99 of other requests above "
                + MOST_RATIO
                + " of what it is with long runs handed off");
  }

  /// Returns the value for `HandlerTimes.ADVISED_NANOS`: the longest time of the long runs before
  /// the first that is too long. A time is too long if the p99 of ordinary requests is more than
  /// [#MOST_RATIO] of its value with long runs handed off, with the whole interval of the paired
  /// rounds. A median above it proves nothing on a machine whose p99 differs by more between two
  /// copies of one server.
  ///
  /// @return empty if either system was not measured; 0 if even the shortest time is too long
  static OptionalInt advisedMicros(List<CaseResult> results) {
    TreeMap<Integer, PairedRatio> ratios = new TreeMap<>();
    for (CaseResult result : results) {
      int micros = HandlerCases.micros(result.name());
      Series inline = series(result, HandlerCases.INLINE);
      Series handedOff = series(result, HandlerCases.HANDED_OFF);
      if (micros > 0 && inline != null && handedOff != null) {
        PairedRatio ratio = CaseResult.ratio(inline, handedOff, "ordinary_p99_us");
        if (ratio != null) {
          ratios.put(micros, ratio);
        }
      }
    }
    if (ratios.isEmpty()) {
      return OptionalInt.empty();
    }
    int longest = 0;
    for (var each : ratios.entrySet()) {
      if (each.getValue().low() > MOST_RATIO) {
        break;
      }
      longest = each.getKey();
    }
    return OptionalInt.of(longest);
  }

  private static @Nullable Series series(CaseResult result, String label) {
    for (Series each : result.series()) {
      if (!each.control() && each.label().equals(label)) {
        return each;
      }
    }
    return null;
  }

  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    List<LinePlot.Panel> panels =
        List.of(panel(results, "ordinary_p50_us", "p50"), panel(results, "ordinary_p99_us", "p99"));
    if (panels.getFirst().isEmpty()) {
      return SvgPlot.render(name(), results, subtitle);
    }
    return LinePlot.above(name(), subtitle, panels, List.of());
  }

  private static LinePlot.Panel panel(List<CaseResult> results, String metric, String what) {
    LinePlot.Panel panel =
        new LinePlot.Panel(
            what + " of ordinary requests", "handler time of a tenth of them, us", "us");
    for (CaseResult result : results) {
      int micros = HandlerCases.micros(result.name());
      for (Series series : result.series()) {
        if (micros >= 0 && !series.control() && series.has(metric)) {
          panel.add(series.label(), micros, PairedRatio.median(series.values(metric)));
        }
      }
    }
    return panel;
  }
}
