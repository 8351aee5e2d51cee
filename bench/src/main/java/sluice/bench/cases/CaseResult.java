package sluice.bench.cases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Regime;
import sluice.bench.run.Series;
import sluice.bench.run.Systems;
import sluice.bench.run.Timeline;

/// What came out of one case. Immutable once made.
///
/// @param bench its bench
/// @param name its name
/// @param series one per system and variant, the reference first, its A/A control if any last
/// @param failures systems that could not be measured, and why
public record CaseResult(
    String bench, String name, List<Series> series, Map<String, String> failures) {
  /// Metrics that are compared in pairs.
  static final List<String> PAIRED =
      List.of(
          "cpu_ns_per_req",
          "machine_ns_per_req",
          "rps",
          "mb_per_s",
          "p50_us",
          "p99_us",
          "p999_us",
          "files_p99_us",
          "dynamic_p99_us",
          "ordinary_p50_us",
          "ordinary_p99_us",
          "first_reply_ms",
          "ns_per_record",
          "ns_per_call",
          "rss_kb");

  /// A comparison of two systems by one metric.
  record Pair(Series ours, Series theirs, String metric, PairedRatio ratio) {}

  /// What each system has done with a change when it answers: `a, b: in memory; c: nothing`; empty
  /// when the case changes nothing.
  String durability() {
    Map<String, List<String>> systems = new LinkedHashMap<>();
    for (Series s : series) {
      if (!s.control() && !s.durability().isEmpty()) {
        systems.computeIfAbsent(s.durability(), _ -> new ArrayList<>()).add(s.label());
      }
    }
    List<String> parts = new ArrayList<>();
    systems.forEach((what, labels) -> parts.add(String.join(", ", labels) + ": " + what));
    return String.join("; ", parts);
  }

  /// The system the table compares all others with: ours, if it took part.
  @Nullable Series reference() {
    return series.isEmpty() ? null : series.getFirst();
  }

  /// The reference's second copy.
  @Nullable Series control() {
    return series.stream().filter(Series::control).findFirst().orElse(null);
  }

  /// Each of ours against each other; without ours the first against the others. The A/A control is
  /// a pair of the reference with itself.
  List<Pair> pairs() {
    List<Pair> pairs = new ArrayList<>();
    boolean any = series.stream().anyMatch(s -> Systems.isOurs(s.label()));
    for (int i = 0; i < series.size(); i++) {
      Series ours = series.get(i);
      if (ours.control() || (any ? !Systems.isOurs(ours.label()) : i > 0)) {
        continue;
      }
      for (Series theirs : series) {
        if (theirs != ours && (!theirs.control() || i == 0)) {
          boolean bothOurs = Systems.isOurs(theirs.label()) && !theirs.control();
          for (String metric : PAIRED) {
            // Many of ours take part in the bench with this metric, and its cases are many.
            PairedRatio ratio =
                bothOurs && metric.equals("ns_per_record") ? null : ratio(ours, theirs, metric);
            if (ratio != null) {
              pairs.add(new Pair(ours, theirs, metric, ratio));
            }
          }
        }
      }
    }
    return pairs;
  }

  /// Null when either lacks the metric, or when no round of both was in one regime of the machine.
  public static @Nullable PairedRatio ratio(Series ours, Series theirs, String metric) {
    if (!ours.has(metric) || !theirs.has(metric) || ours.rounds() != theirs.rounds()) {
      return null;
    }
    for (double value : theirs.values(metric)) {
      if (value == 0) {
        return null;
      }
    }
    int[] rounds = inOneRegime(ours, theirs);
    return rounds.length == 0
        ? null
        : PairedRatio.of(
            select(ours.values(metric), rounds), select(theirs.values(metric), rounds));
  }

  /// Indices of the rounds whose windows are pairs; all, where the machine's speed was not looked
  /// at.
  static int[] inOneRegime(Series ours, Series theirs) {
    IntStream rounds = IntStream.range(0, ours.rounds());
    if (!ours.has(Regime.SLOWEST) || !theirs.has(Regime.SLOWEST)) {
      return rounds.toArray();
    }
    double[] slowest = ours.values(Regime.SLOWEST);
    double[] fastest = ours.values(Regime.FASTEST);
    double[] otherSlowest = theirs.values(Regime.SLOWEST);
    double[] otherFastest = theirs.values(Regime.FASTEST);
    return rounds
        .filter(i -> Regime.same(slowest[i], fastest[i], otherSlowest[i], otherFastest[i]))
        .toArray();
  }

  private static double[] select(double[] values, int[] rounds) {
    return IntStream.of(rounds).mapToDouble(i -> values[i]).toArray();
  }

  /// What systems are ranked by: its ratio is in tables and plots. Less is better.
  public String mainMetric() {
    Series reference = reference();
    for (String metric :
        List.of("first_reply_ms", "ns_per_record", "ns_per_call", "cpu_ns_per_req", "p50_us")) {
      if (reference != null && reference.has(metric)) {
        return metric;
      }
    }
    return "cpu_ns_per_req";
  }

  /// The lines of a result file.
  ///
  /// @param quick marks them as made with `--quick`
  public List<Map<String, Object>> lines(boolean quick) {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Series s : series) {
      if (!s.control()) {
        Map<String, Object> line = line(quick);
        line.put("system", s.label());
        line.put("rounds", s.rounds());
        if (s.prolonged() > 0) {
          line.put("prolonged_rounds", s.prolonged());
        }
        if (!s.durability().isEmpty()) {
          line.put("durability", s.durability());
        }
        line.putAll(s.medians());
        Timeline timeline = s.timeline();
        if (timeline != null) {
          line.putAll(timeline.json());
        }
        lines.add(line);
      }
    }
    failures.forEach((system, why) -> {
      Map<String, Object> line = line(quick);
      line.put("system", system);
      line.put("error", why);
      lines.add(line);
    });
    for (Pair pair : pairs()) {
      Map<String, Object> line = line(quick);
      line.put("pair", List.of(pair.ours.label(), pair.theirs.label()));
      if (pair.theirs.control()) {
        line.put("control", true);
      }
      line.put("metric", pair.metric);
      line.put("ratio", pair.ratio.ratio());
      line.put("min", pair.ratio.min());
      line.put("max", pair.ratio.max());
      line.put("low", pair.ratio.low());
      line.put("high", pair.ratio.high());
      line.put("rounds", pair.ratio.rounds());
      lines.add(line);
    }
    return lines;
  }

  private Map<String, Object> line(boolean quick) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("bench", bench);
    line.put("case", name);
    if (quick) {
      line.put("quick", true);
    }
    return line;
  }
}
