package sluice.loop.counters;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/// A publisher that copies numbers from plain fields to a counters file. It runs on the watchdog's
/// thread ten times per second, so that publishing has no cost for loops, whether asleep or awake.
///
/// A number is read without synchronization and may be slightly out of date. Reads are never torn,
/// because a `long` is read atomically on the machines on which Sluice runs.
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

  /// @param counters the counters to which the numbers are written
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

  /// Adds a count that only increases.
  ///
  /// @param label the label, see [Counters#counter]
  /// @param number returns the current value; not called on the thread that counts
  public void counter(String label, LongSupplier number) {
    entries.add(new Entry(counters.counter(prefix + label), number));
  }

  /// Adds a level that may increase and decrease.
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
