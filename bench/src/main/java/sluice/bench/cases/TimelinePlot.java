package sluice.bench.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import sluice.bench.run.Series;
import sluice.bench.run.Timeline;

/// Draws runs over time as SVG, after figures 7 and 8 of the JX paper: the rate of replies above,
/// garbage collections and thread switches below on the same axis. Stateless.
public final class TimelinePlot {
  private static final int WIDTH = 860;
  private static final int LEFT = 90;
  private static final int RIGHT = 220;
  private static final int HEAD = 64;
  private static final int RATE = 170;
  private static final int COLLECTIONS = 36;
  private static final int SWITCHES = 70;
  private static final int GAP = 16;
  private static final int PANEL = 24 + RATE + GAP + COLLECTIONS + GAP + SWITCHES + 56;
  private static final String BLUE = "#1b6ca8";
  private static final String RED = "#d1495b";

  private TimelinePlot() {}

  /// Returns the runs of `overTime`, and below them the bars of [SvgPlot] if there are other
  /// results.
  public static String above(
      String bench, String subtitle, List<CaseResult> overTime, List<CaseResult> bars) {
    List<Series> all = new ArrayList<>();
    List<String> titles = new ArrayList<>();
    for (CaseResult result : overTime) {
      for (Series series : result.series()) {
        if (series.timeline() != null) {
          all.add(series);
          titles.add(result.name() + ": " + series.label());
        }
      }
    }
    int own = HEAD + all.size() * PANEL;
    int height = own + (bars.isEmpty() ? 0 : SvgPlot.height(bars));
    StringBuilder svg = new StringBuilder();
    SvgText.begin(svg, new int[] {WIDTH, height}, 12, bench, subtitle);
    for (int i = 0; i < all.size(); i++) {
      Timeline timeline = all.get(i).timeline();
      if (timeline != null) {
        panel(svg, titles.get(i), timeline, HEAD + i * PANEL);
      }
    }
    SvgPlot.below(svg, own, bench, bars, subtitle);
    return svg.append("</svg>\n").toString();
  }

  private static void panel(StringBuilder svg, String title, Timeline timeline, int top) {
    int rateBottom = top + 24 + RATE;
    int collectionsBottom = rateBottom + GAP + COLLECTIONS;
    int switchesBottom = collectionsBottom + GAP + SWITCHES;
    SvgText.text(svg, 12, top + 12, "start", "font-weight=\"bold\"", title);
    collections(svg, timeline, rateBottom, collectionsBottom);
    double perSecond = 1e3 / timeline.sliceMillis();
    double fastest = largest(timeline.replies());
    axis(svg, rateBottom, RATE, 4, fastest * perSecond);
    line(svg, timeline, timeline.replies(), fastest, new Area(rateBottom, RATE, BLUE));
    legend(svg, rateBottom - RATE + 12, BLUE, "requests/s");
    double most = Math.max(largest(timeline.voluntary()), largest(timeline.involuntary()));
    axis(svg, switchesBottom, SWITCHES, 2, most * perSecond);
    line(svg, timeline, timeline.voluntary(), most, new Area(switchesBottom, SWITCHES, BLUE));
    line(svg, timeline, timeline.involuntary(), most, new Area(switchesBottom, SWITCHES, RED));
    legend(svg, switchesBottom - SWITCHES + 12, BLUE, "switches/s, voluntary");
    legend(svg, switchesBottom - SWITCHES + 30, RED, "switches/s, involuntary");
    for (int tick = 0; tick <= 6; tick++) {
      double seconds = timeline.seconds() * tick / 6;
      int x = (int) x(timeline, seconds * 1e3);
      SvgText.text(svg, x, switchesBottom + 16, "middle", "fill=\"#555\"", number(seconds, "%.3g"));
    }
    int middle = (LEFT + WIDTH - RIGHT) / 2;
    SvgText.text(svg, middle, switchesBottom + 32, "middle", "fill=\"#555\"", "seconds");
  }

  /// Draws bars as long as the collections took (at least a pixel), and marks them in the rate
  /// above.
  private static void collections(StringBuilder svg, Timeline timeline, int top, int bottom) {
    SvgText.line(svg, "<path d=\"M%d %dH%d\" stroke=\"#ddd\"/>", LEFT, bottom, WIDTH - RIGHT);
    for (Timeline.Collection each : timeline.collections()) {
      double from = Math.max(LEFT, x(timeline, each.atMillis()));
      double to = Math.min(WIDTH - RIGHT, x(timeline, each.atMillis() + each.millis()));
      double width = Math.max(1, to - from);
      SvgText.line(
          svg,
          "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#f6dfe2\"/>",
          from,
          top - RATE,
          width,
          RATE);
      SvgText.line(
          svg,
          "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
          from,
          bottom - COLLECTIONS,
          width,
          COLLECTIONS,
          RED);
    }
    String count = timeline.collections().size() + " collections";
    String longest = number(timeline.longestCollectionMillis(), "longest %.1f ms");
    legend(svg, bottom - COLLECTIONS + 12, RED, count);
    if (!timeline.collections().isEmpty()) {
      legend(svg, bottom - COLLECTIONS + 28, RED, longest);
    }
  }

  /// The area of a line.
  private record Area(int bottom, int height, String colour) {}

  private static void line(
      StringBuilder svg, Timeline timeline, List<Double> values, double most, Area area) {
    List<String> points = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      double x = x(timeline, (i + 0.5) * timeline.sliceMillis());
      double y = area.bottom - area.height * values.get(i) / most;
      points.add(String.format(Locale.ROOT, "%.1f,%.1f", x, y));
    }
    SvgText.line(
        svg,
        "<polyline points=\"%s\" stroke=\"%s\" stroke-width=\"1\" fill=\"none\"/>",
        String.join(" ", points),
        area.colour);
  }

  private static void axis(StringBuilder svg, int bottom, int height, int ticks, double most) {
    for (int tick = 0; tick <= ticks; tick++) {
      int y = bottom - height * tick / ticks;
      SvgText.line(svg, "<path d=\"M%d %dH%d\" stroke=\"#ddd\"/>", LEFT, y, WIDTH - RIGHT);
      SvgText.text(
          svg, LEFT - 6, y + 4, "end", "fill=\"#555\"", number(most * tick / ticks, "%,.0f"));
    }
  }

  private static void legend(StringBuilder svg, int y, String colour, String text) {
    SvgText.text(svg, WIDTH - RIGHT + 16, y, "start", "fill=\"" + colour + "\"", text);
  }

  private static double x(Timeline timeline, double millis) {
    double length = Math.max(timeline.seconds() * 1e3, 1);
    return LEFT + (WIDTH - LEFT - RIGHT) * millis / length;
  }

  /// Returns the largest value, at least 1, so that nothing is divided by 0.
  private static double largest(List<Double> values) {
    return Math.max(1, values.stream().mapToDouble(v -> v).max().orElse(1));
  }

  private static String number(double value, String format) {
    return String.format(Locale.ROOT, format, value);
  }
}
