package sluice.loop.turn;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/// Tasks of a loop for later, few and rough; connections have a wheel of timers. Owned by the
/// loop's thread.
public final class DelayedTasks {
  private final PriorityQueue<Delayed> queue = new PriorityQueue<>();

  private record Delayed(long atNanos, Runnable task) implements Comparable<Delayed> {
    @Override
    public int compareTo(Delayed other) {
      return Long.signum(atNanos - other.atNanos);
    }
  }

  public void add(long atNanos, Runnable task) {
    queue.add(new Delayed(atNanos, task));
  }

  /// @return nanoseconds until the next task is due, at least 1; negative when there is none
  public long untilNext(long now) {
    Delayed next = queue.peek();
    return next == null ? -1 : Math.max(1, next.atNanos - now);
  }

  public void runDue(long now, Consumer<Runnable> runner) {
    while (!queue.isEmpty() && queue.peek().atNanos - now <= 0) {
      runner.accept(queue.poll().task);
    }
  }
}
