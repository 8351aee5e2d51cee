package sluice.domain.carrier;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/// The queues with ready threads, by whose turn it is: that which has used least of the processors
/// for its weight comes first. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | listed, nanos | any thread | under the lock of listed | under the lock of listed |
/// | free, pinned, count | any thread | volatile | volatile, under that lock |
final class TurnList {
  private final PriorityQueue<RunQueue> listed =
      new PriorityQueue<>(Comparator.comparingLong(RunQueue::turnNanos));

  /// How many are listed that may run anywhere.
  private volatile int free;

  /// For each processor, how many are listed that name it.
  private final AtomicIntegerArray pinned;

  private volatile int count;
  private long nanos;

  TurnList(int processors) {
    pinned = new AtomicIntegerArray(processors);
  }

  void add(RunQueue queue) {
    synchronized (listed) {
      queue.stand(nanos);
      listed.add(queue);
      count(queue, 1);
    }
  }

  private void count(RunQueue queue, int change) {
    count += change;
    if (!queue.isPinned()) {
      free += change;
      return;
    }
    for (int i = 0; i < pinned.length(); i++) {
      if (queue.mayRunOn(i)) {
        pinned.addAndGet(i, change);
      }
    }
  }

  /// Takes the queue whose turn it is on a processor, or null.
  @Nullable RunQueue take(int processor) {
    if (isEmpty(processor)) {
      return null;
    }
    synchronized (listed) {
      RunQueue next = listed.peek();
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

  private @Nullable RunQueue first(int processor) {
    RunQueue first = null;
    for (RunQueue each : listed) {
      if (each.mayRunOn(processor) && (first == null || each.turnNanos() < first.turnNanos())) {
        first = each;
      }
    }
    return first;
  }

  /// Returns true if there is one queue in the list.
  boolean hasOne() {
    return count == 1;
  }

  /// Returns true if no queue waits for a processor.
  boolean isEmpty(int processor) {
    return free == 0 && pinned.get(processor) == 0;
  }
}
