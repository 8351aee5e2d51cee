package sluice.loop.counters;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A snapshot in the text format that Prometheus scrapes (version 0.0.4). Stateless: any thread may
/// call.
///
/// The label `loop0/requests` of a count becomes `sluice_requests_total{source="loop0"}`; of a
/// gauge, `sluice_requests{source="loop0"}`. A label without a slash has no source.
public final class PrometheusText {
  /// The media type of the text.
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private PrometheusText() {}

  /// The text, one line per counter and one per name with its type.
  public static String of(CounterSnapshot snapshot) {
    // All samples of a name stand together, whichever loop they come from.
    Map<String, List<String>> byName = new LinkedHashMap<>();
    for (CounterValue value : snapshot.values()) {
      int slash = value.label().indexOf('/');
      String name =
          "sluice_"
              + value.label().substring(slash + 1).replaceAll("[^a-zA-Z0-9_]", "_")
              + (value.gauge() ? "" : "_total");
      String source = slash < 0 ? "" : "{source=\"" + escape(value.label(), slash) + "\"}";
      byName
          .computeIfAbsent(name, _ -> header(name, value.gauge()))
          .add(name + source + " " + value.value() + "\n");
    }
    StringBuilder text = new StringBuilder();
    byName.values().forEach(lines -> lines.forEach(text::append));
    return text.toString();
  }

  private static List<String> header(String name, boolean gauge) {
    List<String> lines = new ArrayList<>();
    lines.add("# TYPE " + name + (gauge ? " gauge" : " counter") + "\n");
    return lines;
  }

  private static String escape(String label, int end) {
    return label.substring(0, end).replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
