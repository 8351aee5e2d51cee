package sluice.testkit.sim;

import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/// The queue of future events. Owned by the thread that runs the simulation, on which all events
/// run.
///
/// Events of the same instant run in an order that depends on the seed.
public final class SimScheduler {
  private record Event(long atNanos, long tie, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(tie, other.tie);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SimClock clock;
  private final SimRandom random;

  SimScheduler(SimClock clock, SimRandom random) {
    this.clock = clock;
    this.random = random;
  }

  public SimClock clock() {
    return clock;
  }

  public void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, clock.nanos()), random.nextLong(), action));
  }

  public void after(long delayNanos, Runnable action) {
    at(clock.nanos() + delayNanos, action);
  }

  /// Returns an executor that runs each task on the simulation's thread after a random delay of at
  /// most `maxDelayNanos`, so that tasks overtake each other.
  public Executor executor(int maxDelayNanos) {
    return task -> after(random.skewed(maxDelayNanos), task);
  }

  public boolean isEmpty() {
    return events.isEmpty();
  }

  /// Runs the next event if it is due at or before `limitNanos`, and advances the clock to it.
  ///
  /// @return false if no event was due
  boolean runNext(long limitNanos) {
    Event next = events.peek();
    if (next == null || next.atNanos > limitNanos) {
      return false;
    }
    events.poll();
    clock.moveTo(next.atNanos);
    next.action.run();
    return true;
  }

  /// Runs all events that are due until `nanos`, and advances the clock to that time.
  void runUntil(long nanos) {
    while (runNext(nanos)) {
      // Each event may have added others that are due.
    }
    clock.moveTo(nanos);
  }
}
