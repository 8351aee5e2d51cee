package sluice.loop.counters;

import java.util.List;

/// The counters of one process at one time. Values were read one after another, not all at once.
///
/// @param pid the process that writes them
/// @param openedMillis when it opened its file, in milliseconds since 1970
/// @param description what the process said about itself, possibly empty
/// @param values in the order in which they were created
public record CounterSnapshot(
    long pid, long openedMillis, String description, List<CounterValue> values) {
  /// Copies `values`.
  public CounterSnapshot {
    values = List.copyOf(values);
  }
}
