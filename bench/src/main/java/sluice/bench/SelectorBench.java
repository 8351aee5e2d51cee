package sluice.bench;

import java.util.List;
import sluice.bench.cases.CaseBench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.LinePlot;
import sluice.bench.cases.SvgPlot;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Series;

/// `sluice bench selector`: the cases of [SelectorCases], and the sweep as lines. Used by the
/// harness's main thread.
final class SelectorBench extends CaseBench {
  SelectorBench() {
    super("selector", SelectorCases::all);
  }

  /// Draws the sweep as lines over the busy fraction, and everything else as bars.
  @Override
  public String plot(List<CaseResult> results, String subtitle) {
    List<CaseResult> bars =
        results.stream().filter(r -> SelectorCases.busyPercent(r.name()) < 0).toList();
    List<CaseResult> sweep =
        results.stream().filter(r -> SelectorCases.busyPercent(r.name()) >= 0).toList();
    if (sweep.isEmpty()) {
      return SvgPlot.render(name(), bars, subtitle);
    }
    LinePlot.Panel panel =
        new LinePlot.Panel(
            "8 000 connections, 64-byte echo", "busy connections, %", "server CPU, ns per request");
    for (CaseResult result : sweep) {
      for (Series series : result.series()) {
        if (!series.control() && series.has("cpu_ns_per_req")) {
          double x = SelectorCases.busyPercent(result.name());
          panel.add(series.label(), x, PairedRatio.median(series.values("cpu_ns_per_req")));
        }
      }
    }
    return LinePlot.above(name(), subtitle, List.of(panel), bars);
  }
}
