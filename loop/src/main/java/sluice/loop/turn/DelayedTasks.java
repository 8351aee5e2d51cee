package sluice.loop.turn;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/// The delayed tasks of a loop, which are few and need little precision. Connections use a timer
/// wheel instead. Owned by the loop's thread.
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

  /// Returns the time until the next task must run.
  ///
  /// @return the time in nanoseconds, at least 1, or a negative value if there is no task
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
