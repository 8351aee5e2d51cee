package sluice.vi.device;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A queue of work from any thread for the thread of a device: a Treiber stack (1986) that the
/// device's thread takes whole and reverses. No thread waits for another one, so that a device
/// continues while the virtual thread that gave it work has no carrier.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `newest` | any thread | acquire | compare-and-set; the device's thread exchanges |
/// | `Order.before` | the adding thread, then the device's | plain | plain, before it is added |
///
/// Lifecycle: open → ended, by the device's thread: work added before is still done.
public final class Orders {
  private static final class Order {
    private final Runnable work;
    private @Nullable Order before;

    Order(Runnable work) {
      this.work = work;
    }
  }

  private static final Order ENDED = new Order(() -> {});

  private final AtomicReference<@Nullable Order> newest = new AtomicReference<>();

  /// Creates an empty queue.
  public Orders() {}

  /// Adds work. Any thread may call; it then wakes the device's thread.
  ///
  /// @return false if the device's thread has ended: the work will not be done
  public boolean add(Runnable work) {
    Order order = new Order(work);
    while (true) {
      Order before = newest.getAcquire();
      if (before == ENDED) {
        return false;
      }
      order.before = before;
      if (newest.compareAndSet(before, order)) {
        return true;
      }
    }
  }

  /// Returns true if there is no work. Called on the device's thread.
  public boolean isEmpty() {
    Order now = newest.get();
    return now == null || now == ENDED;
  }

  /// Does all added work, in order. Called on the device's thread.
  public void run() {
    if (!isEmpty()) {
      run(newest.getAndSet(null));
    }
  }

  /// Does all added work and takes no more. Called on the device's thread; idempotent.
  public void end() {
    Order last = newest.getAndSet(ENDED);
    if (last != ENDED) {
      run(last);
    }
  }

  private static void run(@Nullable Order last) {
    Order next = null;
    Order order = last;
    while (order != null) { // from the newest to the oldest
      Order before = order.before;
      order.before = next;
      next = order;
      order = before;
    }
    while (next != null) {
      next.work.run();
      next = next.before;
    }
  }
}
