package sluice.testkit.sim;

import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/// What will happen, and when. Owned by the thread that runs the simulation, on which every event
/// runs.
///
/// Events of one instant run in an order that the seed decides.
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

  /// Runs each task on the simulation's thread after a random time of at most `maxDelayNanos`:
  /// tasks overtake each other.
  public Executor executor(int maxDelayNanos) {
    return task -> after(random.skewed(maxDelayNanos), task);
  }

  public boolean isEmpty() {
    return events.isEmpty();
  }

  /// Runs the next event if it is due at `limitNanos` or before, and moves the clock to it.
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

  /// Runs what is due until `nanos`, and moves the clock there.
  void runUntil(long nanos) {
    while (runNext(nanos)) {
      // each event may have added others that are due
    }
    clock.moveTo(nanos);
  }
}
