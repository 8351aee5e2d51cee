package sluice.bench.domain;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Harness;
import sluice.bench.run.Series;

/// Measures the cost of schedulers that domains bring, beside the built-in one. Used by the
/// harness's main thread.
public final class SchedulerBench extends WorkBench {
  static final String NAME = "scheduler";

  static final String CALL = "null call";
  static final String YIELD = "yield of two threads";

  static final String BUILT_IN = "sluice/built-in";
  static final String INVISIBLE = "sluice/calls-invisible";
  static final String CALLER = "sluice/caller-informed";
  static final String CALLEE = "sluice/callee-informed";
  static final String BOTH = "sluice/both-informed";
  static final String ROUND_ROBIN = "sluice/round-robin";
  static final String WAKES = "one-carrier";

  private static final double PAPER_INVISIBLE = 650;

  /// Golm et al., "The JX Operating System", section 2.8: cycles of a portal call on a 500 MHz
  /// Pentium III.
  private static final Map<String, Double> PAPER =
      new TreeMap<>(Map.of(INVISIBLE, PAPER_INVISIBLE, CALLER, 960.0, CALLEE, 920.0, BOTH, 1180.0));

  public SchedulerBench() {
    super(
        NAME,
        List.of(
            new WorkCase(CALL, true, List.of(INVISIBLE, CALLER, CALLEE, BOTH, BUILT_IN)),
            new WorkCase(YIELD, true, List.of(BUILT_IN, ROUND_ROBIN, WAKES))));
  }

  /// Runs the cases, and prints the ratios of the calls beside those of the JX paper.
  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    super.run(
        harness,
        result -> {
          done.accept(result);
          if (result.name().equals(CALL)) {
            System.out.print(ratios(result));
          }
        });
  }

  static String ratios(CaseResult result) {
    Map<String, Double> nanos = new TreeMap<>();
    for (Series series : result.series()) {
      Double median = series.control() ? null : series.medians().get(WorkCase.METRIC);
      if (median != null) {
        nanos.put(series.label(), median);
      }
    }
    Double base = nanos.get(INVISIBLE);
    if (base == null) {
      return "";
    }
    StringBuilder out = new StringBuilder("a call beside one that no scheduler hears of\n");
    PAPER.forEach((system, cycles) -> {
      Double here = nanos.get(system);
      if (here != null) {
        out.append(
            String.format(
                Locale.ROOT,
                "  %-26s here %5.2f   JX %5.2f (%.0f cycles)%n",
                system,
                here / base,
                cycles / PAPER_INVISIBLE,
                cycles));
      }
    });
    return out.toString();
  }
}
