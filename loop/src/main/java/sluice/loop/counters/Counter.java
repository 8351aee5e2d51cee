package sluice.loop.counters;

import java.lang.foreign.MemorySegment;

/// A 64-bit number in a counters file. Only one thread at a time may write it, which is not
/// checked; any thread, and any process that may open the file, reads it.
///
/// Writing is one store without a fence and allocates nothing. Reading may lag behind the writer by
/// the time a store takes to leave its processor.
///
/// | field   | writer          | read mode             | write mode |
/// |---------|-----------------|-----------------------|------------|
/// | `value` | owner           | plain, by the owner   | plain      |
/// | slot    | owner           | opaque                | opaque     |
public final class Counter {
  private final MemorySegment segment;
  private final long offset;

  /// The owner's copy, so that adding does not read the shared slot.
  private long value;

  Counter(MemorySegment segment, long offset) {
    this.segment = segment;
    this.offset = offset;
  }

  /// Adds one. Owner only.
  public void increment() {
    add(1);
  }

  /// Adds `amount`, which may be negative for a gauge. Owner only.
  public void add(long amount) {
    set(value + amount);
  }

  /// Replaces the number. Owner only.
  public void set(long newValue) {
    value = newValue;
    CounterLayout.LONG.setOpaque(segment, offset, newValue);
  }

  /// Replaces the number if it has changed: a counter at rest costs its readers no cache miss.
  /// Owner only.
  void update(long newValue) {
    if (newValue != value) {
      set(newValue);
    }
  }

  /// Returns the number in the file. Any thread may call.
  public long value() {
    return (long) CounterLayout.LONG.getOpaque(segment, offset);
  }
}
