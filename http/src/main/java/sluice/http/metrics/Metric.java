package sluice.http.metrics;

import java.util.Map;

/// A sample of `/metrics` that is not backed by a counter. Immutable, so any thread may read it.
///
/// @param family the full name of the family, including the unit, `_total` or `_info`, such as
///   `jvm_memory_used_bytes`
/// @param part the suffix of the sample's name: `_count` and `_sum` of a summary, else empty
/// @param labels names and values, in the order in which they are shown; values may hold any text
/// @param value the value in the base unit of the family
public record Metric(
    String family, Kind kind, String part, Map<String, String> labels, double value) {
  /// The type of a family.
  public enum Kind {
    GAUGE,
    /// A value that never decreases. The name of the family ends with `_total`.
    COUNTER,
    /// The value is always 1 and the labels contain the information. The name of the family ends
    /// with `_info`.
    INFO,
    /// Pairs of `_count` and `_sum`.
    SUMMARY
  }

  /// Returns a sample whose value can increase and decrease.
  public static Metric gauge(String family, Map<String, String> labels, double value) {
    return new Metric(family, Kind.GAUGE, "", labels, value);
  }
}
