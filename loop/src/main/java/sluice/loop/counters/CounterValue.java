package sluice.loop.counters;

/// The value of one counter, as seen by a reader.
///
/// @param label `source/name`, for example `loop0/requests`
/// @param gauge true for a level that may increase and decrease, or false for a count that only
///   increases
/// @param value the number at the time of reading
public record CounterValue(String label, boolean gauge, long value) {}
