package sluice.bench.iozone;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import sluice.bench.cases.SvgText;

/// Draws throughput over file length and record length as heat maps, one for each system, in groups
/// with a common scale, as SVG. Stateless except for the groups, which one thread fills.
final class SurfacePlot {
  private static final int MAPS_IN_ROW = 3;
  private static final int CELL_WIDTH = 46;
  private static final int CELL_HEIGHT = 18;
  private static final int LEFT = 56;
  private static final int HEAD = 56;
  private static final int GROUP_HEAD = 34;
  private static final int MAP_HEAD = 20;
  private static final int MAP_FOOT = 34;
  private static final int GAP = 16;

  /// The maps of one operation by system, in the order they were first added.
  static final class Group {
    private final String title;
    private final Map<String, Map<Place, Double>> maps = new LinkedHashMap<>();

    Group(String title) {
      this.title = title;
    }

    void add(String system, long fileBytes, long recordBytes, double megabytesPerSecond) {
      maps.computeIfAbsent(system, _ -> new LinkedHashMap<>())
          .put(new Place(fileBytes, recordBytes), megabytesPerSecond);
    }

    private SortedSet<Long> files() {
      SortedSet<Long> all = new TreeSet<>();
      maps.values().forEach(map -> map.keySet().forEach(place -> all.add(place.file)));
      return all;
    }

    private SortedSet<Long> records() {
      SortedSet<Long> all = new TreeSet<>();
      maps.values().forEach(map -> map.keySet().forEach(place -> all.add(place.record)));
      return all;
    }

    private int mapHeight() {
      return MAP_HEAD + files().size() * CELL_HEIGHT + MAP_FOOT;
    }

    private int mapWidth() {
      return LEFT + records().size() * CELL_WIDTH + GAP;
    }

    private int height() {
      return GROUP_HEAD + (maps.size() + MAPS_IN_ROW - 1) / MAPS_IN_ROW * mapHeight();
    }
  }

  private record Place(long file, long record) {}

  private SurfacePlot() {}

  /// Returns the picture.
  ///
  /// @param subtitle printed under the title: machine and date
  static String render(String bench, String subtitle, List<Group> groups) {
    int height = HEAD;
    int width = 600;
    for (Group group : groups) {
      height += group.height();
      width = Math.max(width, 12 + Math.min(MAPS_IN_ROW, group.maps.size()) * group.mapWidth());
    }
    StringBuilder svg = new StringBuilder();
    SvgText.begin(svg, new int[] {width, height}, 11, bench, subtitle);
    int y = HEAD;
    for (Group group : groups) {
      group(svg, group, y);
      y += group.height();
    }
    return svg.append("</svg>\n").toString();
  }

  private static void group(StringBuilder svg, Group group, int top) {
    String title = group.title + ", MB/s (file length down, record length across)";
    SvgText.text(svg, 12, top + 20, "start", "font-size=\"14\" font-weight=\"bold\"", title);
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Map<Place, Double> map : group.maps.values()) {
      for (double value : map.values()) {
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    Scale scale = new Scale(least, most);
    int index = 0;
    for (Map.Entry<String, Map<Place, Double>> map : group.maps.entrySet()) {
      int x = 12 + index % MAPS_IN_ROW * group.mapWidth();
      int y = top + GROUP_HEAD + index / MAPS_IN_ROW * group.mapHeight();
      SvgText.text(svg, x + LEFT, y + 10, "start", "font-weight=\"bold\"", map.getKey());
      map(svg, group, map.getValue(), new Corner(x, y + MAP_HEAD), scale);
      index++;
    }
  }

  private static void map(
      StringBuilder svg, Group group, Map<Place, Double> map, Corner corner, Scale scale) {
    int y = corner.y;
    for (long file : group.files()) {
      SvgText.text(svg, corner.x + LEFT - 6, y + 13, "end", "fill=\"#555\"", IozoneCase.size(file));
      int x = corner.x + LEFT;
      for (long record : group.records()) {
        Double value = map.get(new Place(file, record));
        if (value != null) {
          cell(svg, x, y, value, scale.share(value));
        }
        x += CELL_WIDTH;
      }
      y += CELL_HEIGHT;
    }
    int x = corner.x + LEFT;
    for (long record : group.records()) {
      SvgText.text(
          svg, x + CELL_WIDTH / 2, y + 13, "middle", "fill=\"#555\"", IozoneCase.size(record));
      x += CELL_WIDTH;
    }
  }

  private record Corner(int x, int y) {}

  /// A scale of colours by the logarithm, from the least to the greatest value of a group.
  private record Scale(double least, double most) {
    double share(double value) {
      return most <= least ? 1 : Math.log(value / least) / Math.log(most / least);
    }
  }

  private static void cell(StringBuilder svg, int x, int y, double value, double share) {
    int red = (int) Math.round(240 - share * 213);
    int green = (int) Math.round(244 - share * 136);
    int blue = (int) Math.round(250 - share * 82);
    SvgText.line(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\"/>",
        x,
        y,
        CELL_WIDTH - 1,
        CELL_HEIGHT - 1,
        red,
        green,
        blue);
    String style = share > 0.55 ? "fill=\"white\"" : "fill=\"#222\"";
    String number = String.format(Locale.ROOT, value < 10 ? "%.1f" : "%,.0f", value);
    SvgText.text(svg, x + CELL_WIDTH / 2, y + 13, "middle", style, number);
  }
}
