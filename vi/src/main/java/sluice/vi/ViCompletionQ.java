package sluice.vi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A completion queue that is shared by many work queues, so that a single thread can serve many
/// VIs. Only that thread may poll and wait. Any thread may create and close VIs.
///
/// Each poll checks the work queues in turn, which accesses one cache line per queue. The next poll
/// continues after the queue that had a completion, so that no queue starves. Failed descriptors
/// are also returned (see [ViTicket#failure]).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `queues` | any thread | volatile | volatile, a copy, under the monitor |
/// | `next` | the polling thread | plain | plain |
public final class ViCompletionQ implements Waiter.Source {
  private final ViAttributes how;
  private volatile ViQueue[] queues = {};
  private int next;

  /// @param how the attributes, of which only the waiting mode and the spin time are used
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

  /// Returns a completed ticket of any of its VIs, or null if there is none. [ViTicket#isSend]
  /// distinguishes sends from receives.
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
    // If another thread is currently posting or closing the VI, the next poll will find the result.
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
  /// @throws ViTimeout if no ticket completes before the timeout expires
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
