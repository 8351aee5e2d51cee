package sluice.loop.counters;

import java.util.List;

/// The counters of one process at one point in time. The values were read one after another, not
/// atomically.
///
/// @param pid the id of the process that writes them
/// @param openedMillis the time at which it opened its file, in milliseconds since 1970
/// @param description the description set by the process, possibly empty
/// @param values the values, in the order of their creation
public record CounterSnapshot(
    long pid, long openedMillis, String description, List<CounterValue> values) {
  /// Copies `values`.
  public CounterSnapshot {
    values = List.copyOf(values);
  }
}
