package sluice.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A run over time: a server's replies, switches and collections in slices of equal length, all by
/// the kernel's monotonic clock. Immutable; any thread.
///
/// @param sliceMillis length of a slice
/// @param replies in each slice
/// @param voluntary switches in each slice of the server's threads that waited
/// @param involuntary switches in each slice of threads that were preempted
/// @param collections of garbage, in their order
public record Timeline(
    int sliceMillis,
    List<Double> replies,
    List<Double> voluntary,
    List<Double> involuntary,
    List<Collection> collections) {
  /// A pause, or a concurrent phase, as reported in the JVM's log.
  ///
  /// @param atMillis from the start of the run to its start; negative if it began before
  /// @param millis its length
  /// @param what for example `Pause Young (Allocation Failure)`
  public record Collection(double atMillis, double millis, String what) {}

  /// A line of `-Xlog:gc` with the decoration `timenanos`, which is written at the end:
  /// `[123456789ns] GC(3) Pause Young (Allocation Failure) 4M->1M(15M) 1.234ms`.
  private static final Pattern LINE =
      Pattern.compile(
          "(?m)^\\[(\\d+)ns\\] *GC\\(\\d+\\) (.+?)(?: \\d+[KMG]->\\d+[KMG]\\(\\d+[KMG]\\))?"
              + " (\\d+[.,]\\d+)ms$");

  /// Returns the timeline of a run.
  ///
  /// @param result of a run that was counted by slices
  /// @param switches samples from before its start to after its end
  /// @param log of the collections, with nanoseconds of the same clock; empty if there is none
  public static Timeline of(LoadResult result, List<ThreadSwitches.Sample> switches, String log) {
    double start = result.value("start_ms");
    int slice = (int) result.value("slice_ms");
    int count = result.slices().size();
    List<Double> voluntary = new ArrayList<>();
    List<Double> involuntary = new ArrayList<>();
    double[] before = ThreadSwitches.at(switches, start);
    for (int i = 1; i <= count; i++) {
      double[] now = ThreadSwitches.at(switches, start + (double) i * slice);
      voluntary.add(now[0] - before[0]);
      involuntary.add(now[1] - before[1]);
      before = now;
    }
    List<Collection> collections = collections(log, start, start + (double) count * slice);
    return new Timeline(slice, result.slices(), voluntary, involuntary, collections);
  }

  /// Returns the collections that were under way between two times of the clock.
  public static List<Collection> collections(String log, double startMillis, double endMillis) {
    List<Collection> collections = new ArrayList<>();
    Matcher matcher = LINE.matcher(log);
    while (matcher.find()) {
      double end = Long.parseLong(matcher.group(1)) / 1e6;
      double millis = Double.parseDouble(matcher.group(3).replace(',', '.'));
      if (end >= startMillis && end - millis <= endMillis) {
        collections.add(new Collection(end - millis - startMillis, millis, matcher.group(2)));
      }
    }
    return collections;
  }

  public double seconds() {
    return replies.size() * sliceMillis / 1e3;
  }

  public double longestCollectionMillis() {
    return collections.stream().mapToDouble(Collection::millis).max().orElse(0);
  }

  /// Returns one line for the table.
  public String summary() {
    double[] sorted = replies.stream().mapToDouble(r -> r).sorted().toArray();
    double median = sorted.length == 0 ? 0 : PairedRatio.median(sorted);
    double perSecond = 1e3 / sliceMillis;
    return String.format(
        Locale.ROOT,
        "%d slices of %d ms, median %,.0f/s, least %,.0f/s; %d collections, longest %.1f ms;"
            + " switches a second: %,.0f voluntary, %,.0f involuntary",
        sorted.length,
        sliceMillis,
        median * perSecond,
        (sorted.length == 0 ? 0 : sorted[0]) * perSecond,
        collections.size(),
        longestCollectionMillis(),
        sum(voluntary) / Math.max(seconds(), 1e-9),
        sum(involuntary) / Math.max(seconds(), 1e-9));
  }

  private static double sum(List<Double> values) {
    return values.stream().mapToDouble(v -> v).sum();
  }

  /// Returns its fields of a result line.
  public Map<String, Object> json() {
    List<Object> all = new ArrayList<>();
    for (Collection each : collections) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("at_ms", each.atMillis);
      one.put("ms", each.millis);
      one.put("what", each.what);
      all.add(one);
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("slice_ms", sliceMillis);
    json.put("replies", replies);
    json.put("voluntary_switches", voluntary.stream().map(Math::round).toList());
    json.put("involuntary_switches", involuntary.stream().map(Math::round).toList());
    json.put("collections", all);
    return json;
  }
}
