package sluice.vi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A completion queue for many work queues, with which one thread serves many VIs. Only that thread
/// polls and waits; any thread may create and close VIs.
///
/// Polling checks each work queue in turn, at the cost of one cache line each, and continues behind
/// the queue that had a completion, so that none starves. Failed descriptors are returned too, see
/// [ViTicket#failure].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `queues` | any thread | volatile | volatile, a copy, under the monitor |
/// | `next` | the polling thread | plain | plain |
public final class ViCompletionQ implements Waiter.Source {
  private final ViAttributes how;
  private volatile ViQueue[] queues = {};
  private int next;

  /// @param how the attributes, of which the waiting mode and the spin time are used
  public ViCompletionQ(ViAttributes how) {
    this.how = how;
  }

  synchronized void add(ViQueue queue) {
    ViQueue[] more = Arrays.copyOf(queues, queues.length + 1);
    more[queues.length] = queue;
    queues = more;
  }

  synchronized void remove(ViQueue queue) {
    queues = Arrays.stream(queues).filter(each -> each != queue).toArray(ViQueue[]::new);
  }

  /// Returns a completed ticket, or null: of a send or a receive ([ViTicket#isSend]) of any of its
  /// VIs.
  @Override
  public @Nullable ViTicket poll() {
    ViQueue[] all = queues;
    int first = next < all.length ? next : 0;
    for (int i = 0; i < all.length; i++) {
      int index = first + i < all.length ? first + i : first + i - all.length;
      ViTicket done = poll(all[index]);
      if (done != null) {
        next = index + 1;
        return done;
      }
    }
    return null;
  }

  private static @Nullable ViTicket poll(ViQueue queue) {
    // Another thread posts at this moment, or closes the VI: the next poll will see the result.
    if (queue.posted() == 0 || !queue.guard().tryEnter()) {
      return null;
    }
    try {
      return queue.poll();
    } finally {
      queue.guard().exit();
    }
  }

  /// Waits for a completion.
  ///
  /// @throws ViTimeout if there was none in this time
  public ViTicket await(int microseconds) throws ViException {
    ViTicket done = Waiter.await(this, how, microseconds);
    if (done == null) {
      throw new ViTimeout("nothing completed within " + microseconds + " microseconds");
    }
    return done;
  }

  @Override
  public long arm(Thread sleeper) {
    long nanos = Long.MAX_VALUE;
    for (ViQueue queue : queues) {
      nanos = Math.min(nanos, queue.arm(sleeper));
    }
    return nanos;
  }

  @Override
  public void disarm() {
    for (ViQueue queue : queues) {
      queue.disarm();
    }
  }
}
