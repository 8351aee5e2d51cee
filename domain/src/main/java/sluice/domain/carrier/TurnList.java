package sluice.domain.carrier;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/// The queues with ready threads in scheduling order. The queue that has used the least processor
/// time in relation to its weight is the first. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | listed, nanos | any thread | under the lock of listed | under the lock of listed |
/// | free, pinned, count | any thread | volatile | volatile, under that lock |
final class TurnList<Q extends TurnList.Entry> {
  /// A queue in the list. All methods but the last two are called under the lock of the list.
  interface Entry {
    /// Positions the queue after the queues that have used less.
    ///
    /// @param now the current position of the list
    void stand(long now);

    long turnNanos();

    /// Returns true if the queue may run only on some processors.
    boolean isPinned();

    boolean mayRunOn(int processor);
  }

  private final PriorityQueue<Q> listed =
      new PriorityQueue<>(Comparator.comparingLong(Entry::turnNanos));

  /// The number of listed queues that may run on any processor.
  private final AtomicInteger free = new AtomicInteger();

  /// The number of listed queues that are restricted to a processor, for each processor.
  private final AtomicIntegerArray pinned;

  private final AtomicInteger count = new AtomicInteger();
  private long nanos;

  TurnList(int processors) {
    pinned = new AtomicIntegerArray(processors);
  }

  void add(Q queue) {
    synchronized (listed) {
      queue.stand(nanos);
      listed.add(queue);
      count(queue, 1);
    }
  }

  private void count(Q queue, int change) {
    count.addAndGet(change);
    if (!queue.isPinned()) {
      free.addAndGet(change);
      return;
    }
    for (int i = 0; i < pinned.length(); i++) {
      if (queue.mayRunOn(i)) {
        pinned.addAndGet(i, change);
      }
    }
  }

  /// Removes and returns the next queue to run on a processor, or returns null if there is none.
  @Nullable Q take(int processor) {
    if (isEmpty(processor)) {
      return null;
    }
    synchronized (listed) {
      Q next = listed.peek();
      if (next != null && !next.mayRunOn(processor)) {
        next = first(processor);
      }
      if (next != null) {
        listed.remove(next);
        count(next, -1);
        nanos = Math.max(nanos, next.turnNanos());
      }
      return next;
    }
  }

  private @Nullable Q first(int processor) {
    Q first = null;
    for (Q each : listed) {
      if (each.mayRunOn(processor) && (first == null || each.turnNanos() < first.turnNanos())) {
        first = each;
      }
    }
    return first;
  }

  /// Returns true if exactly one queue is listed.
  boolean hasOne() {
    return count.get() == 1;
  }

  /// Returns true if no queue is waiting for the given processor.
  boolean isEmpty(int processor) {
    return free.get() == 0 && pinned.get(processor) == 0;
  }
}
