package sluice.http.metrics;

import java.util.Map;

/// A sample of `/metrics` that no counter holds. Immutable: any thread may read.
///
/// @param family its full name, with unit, `_total` or `_info`, such as `jvm_memory_used_bytes`
/// @param part the suffix of the sample's name: `_count` and `_sum` of a summary, else empty
/// @param labels names and values, in the order in which they are shown; values may hold any text
/// @param value in the base unit of the family
public record Metric(
    String family, Kind kind, String part, Map<String, String> labels, double value) {
  /// The type of a family.
  public enum Kind {
    GAUGE,
    /// Only grows; the name of the family ends with `_total`.
    COUNTER,
    /// Always 1; the labels hold the information. The name of the family ends with `_info`.
    INFO,
    /// Pairs of `_count` and `_sum`.
    SUMMARY
  }

  /// Returns a level that goes up and down.
  public static Metric gauge(String family, Map<String, String> labels, double value) {
    return new Metric(family, Kind.GAUGE, "", labels, value);
  }
}
