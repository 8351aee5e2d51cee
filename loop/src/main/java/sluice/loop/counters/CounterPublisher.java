package sluice.loop.counters;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/// A publisher that copies numbers from plain fields into a counters file. Runs on the watchdog's
/// thread ten times a second, so that publishing costs loops nothing, asleep or awake.
///
/// A number is read without synchronisation and may lag; each is whole, as a `long` is on the
/// machines that Sluice runs on.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | entries | any thread | copy-on-write | copy-on-write |
/// | each counter | holder of `this` | under lock | under lock |
public final class CounterPublisher {
  private final Counters counters;
  private final String prefix;
  private final List<Entry> entries = new CopyOnWriteArrayList<>();

  private record Entry(Counter counter, LongSupplier number) {}

  /// @param counters the counters that the numbers are written to
  public CounterPublisher(Counters counters) {
    this(counters, "");
  }

  /// Creates a publisher for one of several servers of a process.
  ///
  /// @param prefix the prefix of all labels
  public CounterPublisher(Counters counters, String prefix) {
    this.counters = counters;
    this.prefix = prefix;
  }

  /// Adds a count that only grows.
  ///
  /// @param label as in [Counters#counter]
  /// @param number called on another thread than the counting one
  public void counter(String label, LongSupplier number) {
    entries.add(new Entry(counters.counter(prefix + label), number));
  }

  /// Adds a level that goes up and down.
  public void gauge(String label, LongSupplier number) {
    entries.add(new Entry(counters.gauge(prefix + label), number));
  }

  /// Writes the numbers that have changed.
  public synchronized void publish() {
    for (Entry entry : entries) {
      entry.counter.update(entry.number.getAsLong());
    }
  }

  /// Publishes the numbers and returns a snapshot of all counters.
  public CounterSnapshot snapshot() {
    publish();
    return counters.snapshot();
  }
}
