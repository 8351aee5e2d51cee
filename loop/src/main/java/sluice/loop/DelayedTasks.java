package sluice.loop;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/// Tasks of a loop for later, few and rough; connections have the [TimerWheel]. Owned by the loop's
/// thread.
final class DelayedTasks {
  private final PriorityQueue<Delayed> queue = new PriorityQueue<>();

  private record Delayed(long atNanos, Runnable task) implements Comparable<Delayed> {
    @Override
    public int compareTo(Delayed other) {
      return Long.signum(atNanos - other.atNanos);
    }
  }

  void add(long atNanos, Runnable task) {
    queue.add(new Delayed(atNanos, task));
  }

  /// @return nanoseconds until the next task is due, at least 1; negative when there is none
  long untilNext(long now) {
    Delayed next = queue.peek();
    return next == null ? -1 : Math.max(1, next.atNanos - now);
  }

  void runDue(long now, Consumer<Runnable> runner) {
    while (!queue.isEmpty() && queue.peek().atNanos - now <= 0) {
      runner.accept(queue.poll().task);
    }
  }
}
