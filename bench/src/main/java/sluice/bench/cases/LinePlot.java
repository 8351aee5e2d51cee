package sluice.bench.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Draws lines over a few chosen values, equally spaced, in panels below each other, as SVG.
/// Stateless except for the panels, which one thread fills.
public final class LinePlot {
  private static final int WIDTH = 860;
  private static final int LEFT = 90;
  private static final int RIGHT = 220;
  private static final int HEAD = 64;
  private static final int PANEL = 250;
  private static final int AREA = 170;
  private static final int TICKS = 4;
  private static final List<String> COLOURS =
      List.of("#1b6ca8", "#d1495b", "#66a182", "#8d6a9f", "#edae49", "#5c6b73");

  /// A set of axes with its lines by name, in the order they were first added.
  public static final class Panel {
    private final String title;
    private final String xName;
    private final String yName;
    private final Map<String, TreeMap<Double, Double>> lines = new LinkedHashMap<>();

    public Panel(String title, String xName, String yName) {
      this.title = title;
      this.xName = xName;
      this.yName = yName;
    }

    public void add(String line, double x, double y) {
      lines.computeIfAbsent(line, _ -> new TreeMap<>()).put(x, y);
    }

    public boolean isEmpty() {
      return lines.isEmpty();
    }

    private List<Double> places() {
      TreeSet<Double> places = new TreeSet<>();
      lines.values().forEach(line -> places.addAll(line.keySet()));
      return List.copyOf(places);
    }

    private double largest() {
      return lines.values().stream()
          .flatMap(line -> line.values().stream())
          .mapToDouble(y -> y)
          .max()
          .orElse(1);
    }
  }

  private LinePlot() {}

  /// Returns the panels, and below them the bars of [SvgPlot] if there are results.
  public static String above(
      String bench, String subtitle, List<Panel> panels, List<CaseResult> bars) {
    int own = HEAD + panels.size() * PANEL;
    int height = own + (bars.isEmpty() ? 0 : SvgPlot.height(bars));
    StringBuilder svg = new StringBuilder();
    SvgText.begin(svg, new int[] {WIDTH, height}, 12, bench, subtitle);
    for (int i = 0; i < panels.size(); i++) {
      panel(svg, panels.get(i), HEAD + i * PANEL);
    }
    SvgPlot.below(svg, own, bench, bars, subtitle);
    return svg.append("</svg>\n").toString();
  }

  private static void panel(StringBuilder svg, Panel panel, int top) {
    List<Double> places = panel.places();
    double largest = Math.max(panel.largest(), 1e-9);
    int bottom = top + 24 + AREA;
    double step = (WIDTH - LEFT - RIGHT) / (double) Math.max(1, places.size() - 1);
    SvgText.text(svg, 12, top + 12, "start", "font-weight=\"bold\"", panel.title);
    SvgText.text(svg, WIDTH - RIGHT, top + 12, "end", "fill=\"#555\"", panel.yName);
    for (int tick = 0; tick <= TICKS; tick++) {
      int y = bottom - AREA * tick / TICKS;
      SvgText.line(svg, "<path d=\"M%d %dH%d\" stroke=\"#ddd\"/>", LEFT, y, WIDTH - RIGHT);
      SvgText.text(svg, LEFT - 6, y + 4, "end", "fill=\"#555\"", number(largest * tick / TICKS));
    }
    for (int i = 0; i < places.size(); i++) {
      int x = (int) (LEFT + i * step);
      SvgText.text(svg, x, bottom + 16, "middle", "fill=\"#555\"", number(places.get(i)));
    }
    SvgText.text(
        svg, (LEFT + WIDTH - RIGHT) / 2, bottom + 32, "middle", "fill=\"#555\"", panel.xName);
    int index = 0;
    for (Map.Entry<String, TreeMap<Double, Double>> entry : panel.lines.entrySet()) {
      String colour = COLOURS.get(index % COLOURS.size());
      List<String> points = new ArrayList<>();
      entry
          .getValue()
          .forEach((x, y) -> {
            double px = LEFT + places.indexOf(x) * step;
            double py = bottom - AREA * y / largest;
            points.add(String.format(Locale.ROOT, "%.1f,%.1f", px, py));
            SvgText.line(
                svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", px, py, colour);
          });
      SvgText.line(
          svg,
          "<polyline points=\"%s\" stroke=\"%s\" stroke-width=\"2\" fill=\"none\"/>",
          String.join(" ", points),
          colour);
      String style = "fill=\"" + colour + "\"";
      SvgText.text(svg, WIDTH - RIGHT + 16, top + 36 + index * 18, "start", style, entry.getKey());
      index++;
    }
  }

  private static String number(double value) {
    return value == Math.rint(value) || value >= 100
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3g", value);
  }
}
