package sluice.loop.counters;

/// The value of one counter, as a reader saw it.
///
/// @param label `source/name`, for example `loop0/requests`
/// @param gauge true for a level that goes up and down, false for a count that only grows
/// @param value the number at the time of reading
public record CounterValue(String label, boolean gauge, long value) {}
