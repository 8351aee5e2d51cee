package sluice.bench.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.bench.run.Json;
import sluice.bench.run.Systems;

/// Draws the bars of a result file from its lines: for files that combine several runs and have no
/// picture of their own. Stateless.
public final class ResultPlot {
  private static final int WIDTH = 860;
  private static final int LEFT = 190;
  private static final int BARS = 400;
  private static final int ROW = 22;
  private static final List<String> METRICS =
      List.of(
          "first_reply_ms",
          "cpu_ns_per_req",
          "ns_per_record",
          "cpu_ns_per_record",
          "p99_us",
          "ns_per_call");

  private ResultPlot() {}

  /// A system of a case.
  private record Bar(String system, double value, String note) {}

  /// The bars of one metric of one case.
  private record Panel(String name, String metric, List<Bar> bars) {
    int height() {
      return (2 + bars.size()) * ROW;
    }
  }

  /// Returns the picture of a result file.
  ///
  /// @param lines of a result file
  /// @throws IllegalArgumentException if no line has a figure
  public static String render(List<String> lines) {
    List<Map<String, Object>> rows = lines.stream().map(Json::parseObject).toList();
    Map<?, ?> environment =
        rows.getFirst().get("environment") instanceof Map<?, ?> e ? e : Map.of();
    List<Panel> panels = panels(rows);
    if (panels.isEmpty()) {
      throw new IllegalArgumentException("no line has a figure of a system");
    }
    StringBuilder svg = new StringBuilder();
    int height = 3 * ROW + panels.stream().mapToInt(Panel::height).sum();
    String subtitle =
        environment.get("cpu") + ", " + environment.get("kernel") + ", " + environment.get("date");
    String bench = String.valueOf(rows.getFirst().get("bench"));
    SvgText.begin(svg, new int[] {WIDTH, height}, 12, bench, subtitle);
    int y = 3 * ROW;
    for (Panel panel : panels) {
      draw(svg, panel, y);
      y += panel.height();
    }
    return svg.append("</svg>\n").toString();
  }

  private static List<Panel> panels(List<Map<String, Object>> rows) {
    Map<String, List<Map<String, Object>>> cases = new LinkedHashMap<>();
    for (Map<String, Object> row : rows) {
      if (row.get("case") instanceof String name) {
        cases.computeIfAbsent(name, _ -> new ArrayList<>()).add(row);
      }
    }
    List<Panel> panels = new ArrayList<>();
    cases.forEach((name, ofCase) -> {
      String metric = metric(ofCase);
      if (metric != null) {
        panels.add(new Panel(name, metric, bars(ofCase, metric)));
      }
    });
    return panels;
  }

  private static @Nullable String metric(List<Map<String, Object>> rows) {
    return METRICS.stream()
        .filter(m -> rows.stream().anyMatch(row -> row.get(m) instanceof Double))
        .findFirst()
        .orElse(null);
  }

  private static List<Bar> bars(List<Map<String, Object>> rows, String metric) {
    List<Bar> bars = new ArrayList<>();
    for (Map<String, Object> row : rows) {
      if (row.get("system") instanceof String system && row.get(metric) instanceof Double value) {
        bars.add(new Bar(system, value, ratio(rows, metric, system)));
      }
    }
    return bars;
  }

  private static double number(Map<String, Object> row, String key) {
    return row.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /// Returns the ratio of the first system paired with this one, if the file has it.
  private static String ratio(List<Map<String, Object>> rows, String metric, String system) {
    for (Map<String, Object> row : rows) {
      if (metric.equals(row.get("metric"))
          && row.get("control") == null
          && row.get("pair") instanceof List<?> pair
          && system.equals(pair.getLast())) {
        return String.format(
            Locale.ROOT,
            "   %s is %.2f [%.2f–%.2f] of it",
            pair.getFirst(),
            number(row, "ratio"),
            number(row, "min"),
            number(row, "max"));
      }
    }
    return "";
  }

  private static void draw(StringBuilder svg, Panel panel, int top) {
    SvgText.text(svg, 12, top + 14, "start", "font-weight=\"bold\"", panel.name);
    String unit = panel.metric + " (less is better)";
    SvgText.text(svg, LEFT + BARS, top + 14, "start", "fill=\"#555\"", unit);
    double largest = panel.bars.stream().mapToDouble(Bar::value).max().orElse(1);
    int y = top + ROW;
    for (Bar bar : panel.bars) {
      int width = (int) (BARS * bar.value / Math.max(largest, 1e-9));
      SvgText.text(svg, LEFT - 8, y + 15, "end", "", bar.system);
      SvgText.line(
          svg,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>",
          LEFT,
          y + 3,
          width,
          ROW - 6,
          Systems.isOurs(bar.system) ? "#1b6ca8" : "#9aa5b1");
      String value = String.format(Locale.ROOT, "%,.1f%s", bar.value, bar.note);
      SvgText.text(svg, LEFT + width + 8, y + 15, "start", "", value);
      y += ROW;
    }
  }
}
