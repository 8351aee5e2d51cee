package sluice.bench.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Series;
import sluice.bench.run.Timeline;

/// Formats results as text for a terminal. Stateless.
public final class Table {
  /// A column after the first two: title, metric, format.
  private record Column(String title, String metric, String format) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("cpu ns/req", "cpu_ns_per_req", "%,.0f"),
          new Column("machine", "machine_ns_per_req", "%,.0f"),
          new Column("req/s", "rps", "%,.0f"),
          new Column("ns/record", "ns_per_record", "%,.1f"),
          new Column("ns/call", "ns_per_call", "%,.1f"),
          new Column("cpu ns", "cpu_ns_per_record", "%,.0f"),
          new Column("MB/s", "mb_per_s", "%,.0f"),
          new Column("p50 us", "p50_us", "%,.1f"),
          new Column("p99 us", "p99_us", "%,.0f"),
          new Column("p99.9 us", "p999_us", "%,.0f"),
          new Column("files p50", "files_p50_us", "%,.0f"),
          new Column("files p99", "files_p99_us", "%,.0f"),
          new Column("dynamic p50", "dynamic_p50_us", "%,.0f"),
          new Column("dynamic p99", "dynamic_p99_us", "%,.0f"),
          new Column("ordinary", "ordinary_samples", "%,.0f"),
          new Column("ordinary p50", "ordinary_p50_us", "%,.0f"),
          new Column("ordinary p99", "ordinary_p99_us", "%,.0f"),
          new Column("long p50", "long_p50_us", "%,.0f"),
          new Column("long p99", "long_p99_us", "%,.0f"),
          new Column("calls/req", "syscalls_per_req", "%.3f"),
          new Column("ctl/req", "epoll_ctl_per_req", "%.3f"),
          new Column("waits/req", "waits_per_req", "%.3f"),
          new Column("ctl cpu", PollingShare.CONTROL, "%.3f"),
          new Column("wait cpu", PollingShare.WAIT, "%.3f"),
          new Column("alloc B/req", "alloc_bytes_per_req", "%,.1f"),
          new Column("B/domain", "bytes_per_domain", "%,.0f"),
          new Column("rss MB", "rss_kb", "%,.0f"),
          new Column("heap B/idle", "heap_bytes_per_idle", "%,.0f"),
          new Column("native B/idle", "native_bytes_per_idle", "%,.0f"),
          new Column("first reply ms", "first_reply_ms", "%,.1f"),
          new Column("server", "server_cpu", "%.2f"),
          new Column("client", "client_cpu", "%.2f"),
          new Column("others", "other_cpu", "%.2f"));

  /// The number of cores used by other processes from which a figure is reported as disturbed.
  private static final double DISTURBED = 0.1;

  /// The share of its core from which a server is reported as saturated.
  private static final double SATURATED = 0.95;

  /// The share of its core from which the client may limit the figure.
  private static final double CLIENT_BOUND = 0.9;

  private Table() {}

  /// Returns a table with one row per system. The ratio is the reference's CPU time (or time to
  /// first reply) divided by the row's, with the interval that holds its median with 95 %
  /// confidence. `=` marks a difference within the A/A control. If the control is wide, or too few
  /// rounds of both were in one regime of the machine, the row says that nothing was measured.
  public static String render(CaseResult result) {
    List<Column> columns =
        COLUMNS.stream()
            .filter(c -> result.series().stream().anyMatch(s -> s.medians().containsKey(c.metric)))
            .toList();
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("system", "ratio [95 %]"));
    columns.forEach(c -> head.add(c.title));
    rows.add(head);
    for (Series series : result.series()) {
      List<String> row = new ArrayList<>();
      row.add(series.label() + (series.control() ? " (A/A)" : ""));
      row.add(ratio(result, series));
      Map<String, Double> medians = series.medians();
      for (Column column : columns) {
        Double value = medians.get(column.metric);
        row.add(value == null ? "–" : format(column, value));
      }
      rows.add(row);
    }
    StringBuilder out = new StringBuilder();
    out.append(result.bench()).append(": ").append(result.name()).append('\n');
    layOut(out, rows);
    note(out, result, "client-bound", "client_cpu", CLIENT_BOUND);
    note(out, result, "server saturated", "server_cpu", SATURATED);
    note(out, result, "disturbed by other processes", "other_cpu", DISTURBED);
    for (Series series : result.series()) {
      if (series.prolonged() > 0) {
        out.append("nothing answered in time, window prolonged until a reply came: ")
            .append(series.label())
            .append(series.control() ? " (A/A)" : "")
            .append(", %d of %d rounds%n".formatted(series.prolonged(), series.rounds()));
      }
    }
    if (!result.durability().isEmpty()) {
      out.append("a change is, when it is answered: ").append(result.durability()).append('\n');
    }
    for (Series series : result.series()) {
      Timeline timeline = series.timeline();
      if (timeline != null) {
        out.append(series.label()).append(": ").append(timeline.summary()).append('\n');
      }
    }
    result
        .failures()
        .forEach((system, why) ->
            out.append("not measured: ")
                .append(system)
                .append(": ")
                .append(why.lines().findFirst().orElse(""))
                .append('\n'));
    return out.toString();
  }

  /// Names the systems whose figures were limited by a side, or disturbed.
  private static void note(
      StringBuilder out, CaseResult result, String what, String metric, double from) {
    List<String> systems =
        result.series().stream()
            .filter(s -> !s.control() && s.medians().getOrDefault(metric, 0.0) >= from)
            .map(Series::label)
            .toList();
    if (!systems.isEmpty()) {
      out.append(what).append(": ").append(String.join(", ", systems)).append('\n');
    }
  }

  /// Returns a table with one row for each case and one column for each system: medians of one
  /// metric.
  public static String summary(List<CaseResult> results, String metric) {
    List<String> systems =
        results.stream()
            .flatMap(r -> r.series().stream())
            .filter(s -> !s.control())
            .map(Series::label)
            .distinct()
            .toList();
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of(metric));
    head.addAll(systems);
    rows.add(head);
    for (CaseResult result : results) {
      List<String> row = new ArrayList<>(List.of(result.name()));
      for (String system : systems) {
        row.add(
            result.series().stream()
                .filter(s -> !s.control() && s.label().equals(system) && s.has(metric))
                .map(s -> String.format(Locale.ROOT, "%,.0f", s.medians().get(metric)))
                .findFirst()
                .orElse("–"));
      }
      rows.add(row);
    }
    StringBuilder out = new StringBuilder();
    layOut(out, rows);
    return out.toString();
  }

  private static String format(Column column, double value) {
    double shown = column.metric.equals("rss_kb") ? value / 1024 : value;
    return String.format(Locale.ROOT, column.format, shown);
  }

  private static String ratio(CaseResult result, Series series) {
    Series reference = result.reference();
    if (reference == null || reference == series) {
      return "1";
    }
    String metric = result.mainMetric();
    PairedRatio ratio = CaseResult.ratio(reference, series, metric);
    if (ratio == null) {
      return "–";
    }
    Series control = result.control();
    PairedRatio same = control == null ? null : CaseResult.ratio(reference, control, metric);
    String shown =
        String.format(Locale.ROOT, "%.2f [%.2f–%.2f]", ratio.ratio(), ratio.low(), ratio.high());
    if (ratio.rounds() < PairedRatio.FEWEST) {
      return "not measured, " + ratio.rounds() + (ratio.rounds() == 1 ? " pair" : " pairs");
    }
    if (same == null || series.control() || !ratio.within(same)) {
      return shown;
    }
    return same.isWide() ? "not measured, control too wide" : shown + " =";
  }

  private static void layOut(StringBuilder out, List<List<String>> rows) {
    int count = rows.getFirst().size();
    int[] widths = new int[count];
    for (List<String> row : rows) {
      for (int i = 0; i < count; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      for (int i = 0; i < count; i++) {
        String cell = row.get(i);
        String gap = " ".repeat(widths[i] - cell.length());
        out.append(i == 0 ? cell + gap : "  " + gap + cell);
      }
      out.append('\n');
    }
  }
}
