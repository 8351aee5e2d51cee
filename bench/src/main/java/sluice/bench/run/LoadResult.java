package sluice.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// The result of one run of the load generator in its window. Immutable.
///
/// @param values numbers by name, as printed by the generator
/// @param snapshots kernel files at both ends of the window
/// @param slices replies in each slice of the window; empty unless requested
public record LoadResult(
    Map<String, Double> values, List<CpuTimes.Snapshot> snapshots, List<Double> slices) {
  private static final String KIND_REQUESTS = "_requests";

  public static LoadResult parse(String json) {
    Map<String, Double> values = new LinkedHashMap<>();
    List<CpuTimes.Snapshot> snapshots = new ArrayList<>();
    List<Double> slices = new ArrayList<>();
    Json.parseObject(json)
        .forEach((name, value) -> {
          if (value instanceof Double number) {
            values.put(name, number);
          } else if (value instanceof List<?> list) {
            for (Object item : list) {
              if (item instanceof Double count) {
                slices.add(count);
              } else {
                snapshots.add(snapshot(item));
              }
            }
          }
        });
    return new LoadResult(values, snapshots, slices);
  }

  private static CpuTimes.Snapshot snapshot(Object item) {
    if (item instanceof Map<?, ?> map
        && map.get("file") instanceof String file
        && map.get("before") instanceof String before
        && map.get("after") instanceof String after) {
      return new CpuTimes.Snapshot(file, before, after);
    }
    throw new IllegalArgumentException("not a snapshot: " + item);
  }

  public double value(String name) {
    Double value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the load generator did not print " + name);
    }
    return value;
  }

  /// Returns the text of one snapshot file, `after` or `before`; empty if the file is not among
  /// them.
  String snapshotText(String file, boolean after) {
    for (CpuTimes.Snapshot s : snapshots) {
      if (s.file().equals(file)) {
        return after ? s.after() : s.before();
      }
    }
    return "";
  }

  /// Returns the metrics of one round by their names in result files.
  ///
  /// @param bytesPerRequest if positive, requests are counted as body bytes divided by it, so that
  ///   a window may end inside a large reply; otherwise whole replies are counted
  public Map<String, Double> metrics(long bytesPerRequest) {
    double seconds = value("seconds");
    double requests =
        bytesPerRequest > 0 ? value("body_bytes") / bytesPerRequest : value("requests");
    Map<String, Double> metrics = new LinkedHashMap<>();
    putPerRequest(metrics, "cpu_ns_per_req", CpuTimes.serverNanos(snapshots), requests);
    putPerRequest(metrics, "machine_ns_per_req", CpuTimes.machineNanos(snapshots), requests);
    metrics.put("rps", requests / seconds);
    metrics.put("mb_per_s", value("wire_bytes") / seconds / 1e6);
    for (String name : List.of("p50_us", "p99_us", "p999_us")) {
      if (value("requests") > 0) {
        metrics.put(name, value(name));
      }
    }
    metrics.put("samples", value("requests"));
    values.forEach((name, value) -> {
      if (name.matches("[a-z]+_p(50|99)_us")) {
        metrics.put(name, value); // of one kind of requests
      } else if (name.endsWith(KIND_REQUESTS)) {
        metrics.put(name.replace(KIND_REQUESTS, "_samples"), value);
      }
    });
    OptionalLong server = CpuTimes.serverNanos(snapshots);
    if (server.isPresent()) {
      metrics.put("server_cpu", server.getAsLong() / seconds / 1e9);
    }
    metrics.put("client_cpu", value("client_cpu"));
    Double resent = values.get("resent");
    if (resent != null) {
      metrics.put("resent", resent); // datagrams that had no answer in time
    }
    if (values.getOrDefault(Series.PROLONGED, 0.0) > 0) {
      metrics.put(Series.PROLONGED, 1.0);
    }
    OptionalLong machine = CpuTimes.machineNanos(snapshots);
    if (server.isPresent() && machine.isPresent()) {
      double both = server.getAsLong() / seconds / 1e9 + value("client_cpu");
      metrics.put("other_cpu", Math.max(0, machine.getAsLong() / seconds / 1e9 - both));
    }
    return metrics;
  }

  private static void putPerRequest(
      Map<String, Double> metrics, String name, OptionalLong nanos, double requests) {
    if (nanos.isPresent() && requests > 0) {
      metrics.put(name, nanos.getAsLong() / requests);
    }
  }
}
