package sluice.loop.counters;

import java.lang.foreign.MemorySegment;

/// A 64-bit number in a counters file. Only one thread at a time may write it, which is not
/// checked. Any thread, and any process that may open the file, may read it.
///
/// A write is one store without a fence and allocates nothing. A read may lag behind the writer by
/// the time that a store takes to leave its processor.
///
/// | field   | writer          | read mode             | write mode |
/// |---------|-----------------|-----------------------|------------|
/// | `value` | owner           | plain, by the owner   | plain      |
/// | slot    | owner           | opaque                | opaque     |
public final class Counter {
  private final MemorySegment segment;
  private final long offset;

  /// The owner's copy of the value, so that adding does not read the shared slot.
  private long value;

  Counter(MemorySegment segment, long offset) {
    this.segment = segment;
    this.offset = offset;
  }

  /// Adds one to this counter. Must be called by the owner.
  public void increment() {
    add(1);
  }

  /// Adds `amount`, which may be negative for a gauge. Must be called by the owner.
  public void add(long amount) {
    set(value + amount);
  }

  /// Sets the value of this counter. Must be called by the owner.
  public void set(long newValue) {
    value = newValue;
    CounterLayout.LONG.setOpaque(segment, offset, newValue);
  }

  /// Sets the value of this counter if it has changed, so that a counter at rest causes no cache
  /// misses for its readers. Must be called by the owner.
  void update(long newValue) {
    if (newValue != value) {
      set(newValue);
    }
  }

  /// Returns the value in the file. Any thread may call.
  public long value() {
    return (long) CounterLayout.LONG.getOpaque(segment, offset);
  }
}
