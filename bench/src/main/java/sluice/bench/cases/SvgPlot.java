package sluice.bench.cases;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Series;
import sluice.bench.run.Systems;

/// Draws bars with whiskers (median, smallest and largest round) for each case, as SVG. Stateless.
public final class SvgPlot {
  private static final int WIDTH = 860;
  private static final int LEFT = 190;
  private static final int RIGHT = 210;
  private static final int ROW = 22;
  private static final int TITLE = 40;
  private static final int GAP = 24;
  private static final String OURS = "#1b6ca8";
  private static final List<String> SMALL = List.of("ns_per_call", "p50_us");
  private static final String PEER = "#9aa5b1";

  private SvgPlot() {}

  /// Returns the picture.
  ///
  /// @param subtitle printed under the title: machine and date
  public static String render(String bench, List<CaseResult> results, String subtitle) {
    int height = height(results);
    StringBuilder svg = new StringBuilder();
    SvgText.begin(svg, new int[] {WIDTH, height}, 12, bench, subtitle);
    int y = TITLE + GAP;
    for (CaseResult result : results) {
      y = panel(svg, result, y);
    }
    return svg.append("</svg>\n").toString();
  }

  /// Draws the bars, if there are any, into another picture.
  static void below(
      StringBuilder svg, int top, String bench, List<CaseResult> results, String subtitle) {
    if (!results.isEmpty()) {
      SvgText.line(svg, "<g transform=\"translate(0,%d)\">", top);
      svg.append(render(bench, results, subtitle));
      SvgText.line(svg, "</g>");
    }
  }

  /// Returns the height of the whole picture in pixels.
  static int height(List<CaseResult> results) {
    int height = TITLE + GAP;
    for (CaseResult result : results) {
      height += GAP + TITLE + (int) shown(result).count() * ROW + durabilityHeight(result);
    }
    return height;
  }

  private static int durabilityHeight(CaseResult result) {
    return result.durability().isEmpty() ? 0 : ROW;
  }

  private static java.util.stream.Stream<Series> shown(CaseResult result) {
    return result.series().stream().filter(s -> !s.control() && s.has(result.mainMetric()));
  }

  private static int panel(StringBuilder svg, CaseResult result, int top) {
    String metric = result.mainMetric();
    String unit =
        switch (metric) {
          case "first_reply_ms" -> "ms to the first reply";
          case "ns_per_call", "ns_per_record" -> "ns each";
          case "p50_us" -> "µs, median";
          default -> "server CPU time, ns per request";
        };
    SvgText.text(svg, 12, top + 16, "start", "font-weight=\"bold\"", result.name());
    SvgText.text(
        svg,
        LEFT,
        top + 16,
        "start",
        "fill=\"#555\"",
        unit + " (less is better); ratio to the first");
    double largest =
        shown(result)
            .mapToDouble(s -> Arrays.stream(s.values(metric)).max().orElse(0))
            .max()
            .orElse(1);
    double scale = (WIDTH - LEFT - RIGHT) / Math.max(largest, 1e-9);
    int y = top + TITLE - 12;
    for (Series series : shown(result).toList()) {
      bar(svg, result, series, metric, scale, y);
      y += ROW;
    }
    if (!result.durability().isEmpty()) {
      String text = "a change is, when it is answered: " + result.durability();
      SvgText.text(svg, 12, y + 12, "start", "fill=\"#555\" font-size=\"10\"", text);
    }
    return y + durabilityHeight(result) + GAP + 12;
  }

  private static void bar(
      StringBuilder svg, CaseResult result, Series series, String metric, double scale, int y) {
    double[] values = series.values(metric);
    double median = PairedRatio.median(values);
    double low = LEFT + Arrays.stream(values).min().orElse(0) * scale;
    double high = LEFT + Arrays.stream(values).max().orElse(0) * scale;
    int middle = y + ROW / 2;
    SvgText.text(svg, LEFT - 8, middle + 4, "end", "", series.label());
    SvgText.line(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        LEFT,
        y + 3,
        median * scale,
        ROW - 6,
        Systems.isOurs(series.label()) ? OURS : PEER);
    SvgText.line(
        svg,
        "<path d=\"M%.1f %dH%.1fM%.1f %dv8M%.1f %dv8\" stroke=\"#222\" fill=\"none\"/>",
        low,
        middle,
        high,
        low,
        middle - 4,
        high,
        middle - 4);
    Series reference = result.reference();
    PairedRatio ratio =
        reference == null || reference == series
            ? null
            : CaseResult.ratio(reference, series, metric);
    String value = String.format(Locale.ROOT, SMALL.contains(metric) ? "%,.1f" : "%,.0f", median);
    String note =
        ratio == null
            ? value
            : String.format(
                Locale.ROOT,
                "%s   %.2f [%.2f–%.2f]",
                value,
                ratio.ratio(),
                ratio.min(),
                ratio.max());
    SvgText.text(svg, (int) high + 8, middle + 4, "start", "", note);
  }
}
