package sluice.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The metrics of one system in one case, round by round. Filled by the main thread.
public final class Series {
  /// The metric that marks a round whose window was prolonged until there was a reply.
  public static final String PROLONGED = "prolonged";

  private final String label;
  private final boolean control;
  private final List<Map<String, Double>> rounds = new ArrayList<>();
  private final Map<String, Double> once = new LinkedHashMap<>();
  private String durability = "";
  private @Nullable Timeline timeline;

  /// @param label system name, followed by a blank and the name of a variant
  /// @param control true for the second copy of the first system (A/A)
  public Series(String label, boolean control) {
    this.label = label;
    this.control = control;
  }

  public String label() {
    return label;
  }

  public boolean control() {
    return control;
  }

  public void addRound(Map<String, Double> metrics) {
    rounds.add(metrics);
  }

  /// Adds metrics that are not measured in rounds: calls, allocations, memory.
  public void putOnce(Map<String, Double> metrics) {
    once.putAll(metrics);
  }

  /// Sets where changes are stored.
  ///
  /// @param durability see [Peers#durability]
  public void keeps(String durability) {
    this.durability = durability;
  }

  /// Returns where changes are stored; empty if there are none.
  public String durability() {
    return durability;
  }

  public void over(Timeline run) {
    timeline = run;
  }

  /// Returns its run over time; null if it was measured in windows.
  @Nullable
  public Timeline timeline() {
    return timeline;
  }

  public int rounds() {
    return rounds.size();
  }

  /// Returns the number of rounds without a reply within the requested window.
  public long prolonged() {
    return rounds.stream().filter(round -> round.containsKey(PROLONGED)).count();
  }

  public boolean has(String metric) {
    return !rounds.isEmpty() && rounds.stream().allMatch(r -> r.containsKey(metric));
  }

  /// Returns a metric in each round; only if [#has].
  public double[] values(String metric) {
    return rounds.stream().mapToDouble(r -> r.getOrDefault(metric, Double.NaN)).toArray();
  }

  /// Returns the median of each metric that every round has, then the metrics measured once.
  public Map<String, Double> medians() {
    Map<String, Double> medians = new LinkedHashMap<>();
    if (!rounds.isEmpty()) {
      for (String metric : rounds.getFirst().keySet()) {
        if (has(metric) && !metric.equals(PROLONGED)) {
          medians.put(metric, PairedRatio.median(values(metric)));
        }
      }
    }
    medians.putAll(once);
    return medians;
  }
}
