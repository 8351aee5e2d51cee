package sluice.cli.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import sluice.cli.compare.CompareRounds.Measurement;

/// The result of a comparison and the verdict. Instances are immutable.
///
/// @param backend the name of the Sluice side
/// @param theirs the measurements with the provider of the JDK, one per round
/// @param ours the same number of measurements with Sluice
public record Comparison(String backend, List<Measurement> theirs, List<Measurement> ours) {
  /// The share of failed requests above which the figures are not meaningful.
  private static final double TOLERATED_FAILURES = 0.01;

  private static final int SHOWN_DIFFERENCES = 20;

  /// The ratio below which changing the provider is worthwhile. If the interval is above this
  /// ratio, there is no benefit. If the interval includes this ratio, there is no verdict.
  private static final double WORTH = 0.95;

  /// The upper bound of the interval for the p99 ratio above which the verdict mentions that a
  /// longer p99 is possible.
  private static final double MUCH_LONGER = 1.25;

  private record Quantity(String name, String unit, ToDoubleFunction<Measurement> value) {}

  private static final Quantity CPU = new Quantity("CPU per request", "µs", Measurement::cpuMicros);
  private static final Quantity P99 = new Quantity("p99", "µs", Measurement::p99);
  private static final List<Quantity> QUANTITIES =
      List.of(
          CPU,
          new Quantity("p50", "µs", m -> m.load().p50()),
          P99,
          new Quantity("p99.9", "µs", m -> m.load().p999()),
          new Quantity("RSS", "MiB", m -> m.residentBytes() / 1048576.0),
          new Quantity("system calls per request", "", Measurement::callsPerRequest));

  /// The CPU time of each kind of request, if files are served without the application.
  private static final Quantity FILE = new Quantity("CPU per file", "µs", Measurement::fileMicros);

  private static final Quantity OTHER =
      new Quantity("CPU per other request", "µs", Measurement::otherMicros);

  private List<Quantity> quantities() {
    List<Quantity> all = new ArrayList<>(QUANTITIES);
    if (ratio(FILE) != null || ratio(OTHER) != null) {
      all.add(FILE);
      all.add(OTHER);
    }
    return all;
  }

  private static double[] values(List<Measurement> side, Quantity quantity) {
    return side.stream().mapToDouble(quantity.value()).toArray();
  }

  /// Returns the ratio of a quantity, or null if the quantity was not measured on both sides.
  private @Nullable RatioInterval ratio(Quantity quantity) {
    double[] our = values(ours, quantity);
    double[] their = values(theirs, quantity);
    boolean measured =
        Arrays.stream(our).allMatch(v -> v > 0) && Arrays.stream(their).allMatch(v -> v > 0);
    return measured ? RatioInterval.of(our, their) : null;
  }

  private static double failures(List<Measurement> side) {
    long failed = side.stream().mapToLong(m -> m.load().failed()).sum();
    return (double) failed / (failed + side.stream().mapToLong(m -> m.load().requests()).sum());
  }

  /// Returns a line for each URL whose answer is the same in all rounds with the JDK but different
  /// with Sluice.
  List<String> differences() {
    List<String> lines = new ArrayList<>();
    Map<String, String> ofOurs = answers(ours);
    answers(theirs)
        .forEach((url, answer) -> {
          String our = ofOurs.getOrDefault(url, answer);
          if (!answer.equals(ResponseLog.VARYING) && !our.equals(answer)) {
            lines.add(url + " is " + answer + " on jdk, " + our + " on " + backend);
          }
        });
    return lines;
  }

  private static Map<String, String> answers(List<Measurement> side) {
    Map<String, String> all = new LinkedHashMap<>();
    for (Measurement round : side) {
      round.load().answers().forEach((url, answer) -> all.merge(url, answer, ResponseLog::both));
    }
    return all;
  }

  /// Returns the verdict in one sentence. If files are served without the application, it includes
  /// the costs of files and of other requests.
  String verdict() {
    RatioInterval file = ratio(FILE);
    RatioInterval other = ratio(OTHER);
    return file == null || other == null
        ? ofAllRequests()
        : String.format(
            Locale.ROOT,
            "%s. A file takes %s of the JDK's CPU, any other request %s",
            ofAllRequests(),
            file,
            other);
  }

  private String ofAllRequests() {
    List<String> different = differences();
    if (!different.isEmpty()) {
      return "no verdict: not the same is answered, so do not use it before it is clear why: "
          + different.getFirst();
    }
    if (Math.max(failures(theirs), failures(ours)) > TOLERATED_FAILURES) {
      return String.format(
          Locale.ROOT,
          "no verdict: %.1f %% of the requests failed on jdk, %.1f %% on %s."
              + " Fix: lower --rate, or look at the URLs.",
          failures(theirs) * 100,
          failures(ours) * 100,
          backend);
    }
    RatioInterval cpu = ratio(CPU);
    if (cpu == null) {
      return "no verdict: too little CPU time. Fix: a higher --rate or a longer --window.";
    }
    RatioInterval p99 = ratio(P99);
    if (cpu.isAboveOne()) {
      return "it costs more CPU here: do not use it";
    }
    if (!cpu.isBelowOne()) {
      return cpu.low() > WORTH ? "no benefit here: do not use it" : untold(cpu);
    }
    if (p99 != null && p99.isAboveOne()) {
      return "less CPU per request, but a longer p99: decide what matters to you";
    }
    String helps =
        String.format(
            Locale.ROOT,
            "it helps: %.0f %% less CPU per request (at least %.0f %%)",
            (1 - cpu.ratio()) * 100,
            Math.floor((1 - cpu.high()) * 100));
    return p99 != null && p99.high() > MUCH_LONGER
        ? helps + "; whether p99 is longer cannot be told here"
        : helps;
  }

  private static String untold(RatioInterval cpu) {
    return String.format(
        Locale.ROOT,
        "cannot be told here: CPU per request is anything from %.2f to %.2f of the JDK's, because"
            + " the rounds differ that much. Fix: end what else runs on this machine, or more"
            + " --rounds or a longer --window",
        cpu.low(),
        cpu.high());
  }

  /// Returns the table and the verdict.
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%-26s %12s %12s  %s",
            "geometric mean of rounds",
            "jdk",
            backend,
            backend + "/jdk [95 %]"));
    for (Quantity quantity : quantities()) {
      RatioInterval ratio = ratio(quantity);
      String name =
          quantity.name() + (quantity.unit().isEmpty() ? "" : " (" + quantity.unit() + ")");
      lines.add(
          ratio == null
              ? String.format(Locale.ROOT, "%-26s not measured%s", name, whyNot(quantity))
              : String.format(
                  Locale.ROOT,
                  "%-26s %12.1f %12.1f  %s",
                  name,
                  RatioInterval.geometricMean(values(theirs, quantity)),
                  RatioInterval.geometricMean(values(ours, quantity)),
                  ratio));
    }
    differences().stream()
        .limit(SHOWN_DIFFERENCES)
        .map("answered differently: "::concat)
        .forEach(lines::add);
    lines.add(ours.size() + " rounds of each; below 1 is better. Verdict: " + verdict());
    return lines;
  }

  private String whyNot(Quantity quantity) {
    if (quantity.name().startsWith("p")) {
      return ": the load command tells no latencies to us";
    }
    for (Measurement measurement : ours) {
      if (quantity.name().startsWith("system") && !measurement.whyNoCalls().isEmpty()) {
        return ": " + measurement.whyNoCalls();
      }
    }
    return ": too little of it";
  }

  /// Returns the result as JSON, including all rounds.
  Map<String, Object> asJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("backend", backend);
    json.put("rounds", ours.size());
    for (Quantity quantity : quantities()) {
      RatioInterval ratio = ratio(quantity);
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("unit", quantity.unit());
      if (ratio == null) {
        entry.put("notMeasured", whyNot(quantity).substring(2));
      } else {
        entry.put("jdk", list(values(theirs, quantity)));
        entry.put("sluice", list(values(ours, quantity)));
        entry.put("ratio", ratio.ratio());
        entry.put("low", ratio.low());
        entry.put("high", ratio.high());
      }
      json.put(quantity.name(), entry);
    }
    json.put("differences", differences());
    json.put("verdict", verdict());
    return json;
  }

  private static List<Double> list(double[] values) {
    return Arrays.stream(values).boxed().toList();
  }
}
