package sluice.bench.vi;

import java.util.ArrayList;
import java.util.List;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.LinePlot;
import sluice.bench.cases.LinePlot.Panel;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Series;

/// Draws the lines of bench vi: first figures 1 to 4 of the paper with Sluice's systems in place of
/// the paper's, then Sluice beside its peers. Stateless.
final class ViPlot {
  private static final int SHORT_BYTES = 16 << 10;

  private record Figure(String title, boolean stream, List<String> systems) {}

  private static final String C = ViCase.C_SHM;
  private static final String COPIES = ViCase.OFI_SHM + ViCase.LEVEL_ONE;
  private static final String PINS = ViCase.OFI_SHM + ViCase.PINNED;
  private static final String TWO = ViCase.OFI_SHM;
  private static final List<Figure> FIGURES =
      List.of(
          new Figure(
              "As the paper's figure 1: Level I, round trip", false, List.of(C, COPIES, PINS)),
          new Figure("As figure 2: Level I, bandwidth", true, List.of(C, COPIES, PINS)),
          new Figure("As figure 3: Level II, round trip", false, List.of(C, COPIES, TWO)),
          new Figure("As figure 4: Level II, bandwidth", true, List.of(C, COPIES, TWO)),
          new Figure("Shared memory, round trip", false, memory()),
          new Figure("Shared memory, bandwidth", true, memory()),
          new Figure("TCP and UDP, round trip", false, internet()),
          new Figure("TCP and UDP, bandwidth", true, internet()),
          new Figure("Two network namespaces, round trip", false, apart()),
          new Figure("Two network namespaces, bandwidth", true, apart()));

  private ViPlot() {}

  private static List<String> memory() {
    return List.of(
        ViCase.LOCAL,
        ViCase.LOCAL + ViCase.LEVEL_ONE,
        ViCase.OFI_SHM,
        ViCase.C_SHM,
        ViCase.C_LINE,
        ViCase.AERON_IPC,
        ViCase.C_UNIX);
  }

  private static List<String> internet() {
    return List.of(
        ViCase.OFI_TCP,
        ViCase.OFI_TCP + ViCase.LEVEL_ONE,
        ViCase.RING,
        ViCase.C_TCP,
        ViCase.C_SOCKET,
        ViCase.AERON_UDP);
  }

  private static List<String> apart() {
    return List.of(ViCase.XDP, ViCase.RING + ViCase.VETH);
  }

  static String render(List<CaseResult> results, List<ViCase> cases, String subtitle) {
    List<Panel> panels = new ArrayList<>();
    for (Figure figure : FIGURES) {
      Panel panel =
          new Panel(figure.title, "bytes of a message", figure.stream ? "MB/s" : "microseconds");
      for (CaseResult result : results) {
        for (ViCase each : cases) {
          if (each.name().equals(result.name())) {
            add(panel, figure, each, result);
          }
        }
      }
      if (!panel.isEmpty()) {
        panels.add(panel);
      }
    }
    List<CaseResult> bars = results.stream().filter(r -> isBar(r.name(), cases)).toList();
    return LinePlot.above("vi", subtitle, panels, bars);
  }

  /// Returns true if a case is drawn as bars: it is not part of a line, or its value is so large
  /// that the short messages of a line would look alike.
  private static boolean isBar(String name, List<ViCase> cases) {
    return name.startsWith("waiting")
        || name.startsWith("register")
        || cases.stream()
            .anyMatch(each ->
                each.name().equals(name)
                    && each.kind().equals(ViCase.ROUND_TRIP)
                    && each.bytes() > SHORT_BYTES);
  }

  private static void add(Panel panel, Figure figure, ViCase exchange, CaseResult result) {
    boolean stream = exchange.kind().equals(ViCase.STREAM);
    boolean trip = exchange.name().startsWith("round trip") && exchange.bytes() <= SHORT_BYTES;
    if (figure.stream ? !stream : !trip) {
      return;
    }
    for (Series series : result.series()) {
      String metric = figure.stream ? "mb_per_s" : "ns_per_call";
      if (!series.control() && figure.systems.contains(series.label()) && series.has(metric)) {
        double value = PairedRatio.median(series.values(metric));
        panel.add(series.label(), exchange.bytes(), figure.stream ? value : value / 1e3);
      }
    }
  }
}
