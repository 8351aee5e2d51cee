package sluice.bench;

import java.util.List;
import sluice.bench.cases.CaseBench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.LinePlot;
import sluice.bench.cases.SvgPlot;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Series;

/// `sluice bench handler`: the cases of [HandlerCases], and what the long handlers cost the other
/// requests as lines. Used by the harness's main thread.
final class HandlerBench extends CaseBench {
  HandlerBench() {
    super("handler", HandlerCases::all);
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
