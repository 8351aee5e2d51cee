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

/// The result of a case. Immutable once made.
///
/// @param bench its bench
/// @param name its name
/// @param series one per system and variant, the reference first, its A/A control if any last
/// @param failures systems that could not be measured, and the reasons
public record CaseResult(
    String bench, String name, List<Series> series, Map<String, String> failures) {
  /// The metrics that are compared in pairs.
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

  /// Returns where each system has stored a change when it answers: `a, b: in memory; c: nothing`.
  /// Empty if the case changes nothing.
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

  /// Returns the system that the table compares with all others: Sluice, if it took part.
  @Nullable Series reference() {
    return series.isEmpty() ? null : series.getFirst();
  }

  /// Returns the reference's second copy.
  @Nullable Series control() {
    return series.stream().filter(Series::control).findFirst().orElse(null);
  }

  /// Returns the pairs of each of Sluice's systems with each other system; without any, of the
  /// first system with the others. The A/A control is a pair of the reference with itself.
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
            // Many of Sluice's systems take part in the bench with this metric, which has many
            // cases.
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

  /// Returns the ratio of two series; null if either lacks the metric, or if no round of both was
  /// in one regime of the machine.
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

  /// Returns the indices of the rounds whose windows are pairs; all of them if the machine's speed
  /// was not measured.
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

  /// Returns the metric by which systems are ranked, with its ratio in tables and plots. Less is
  /// better.
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

  /// Returns the lines of a result file.
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
