package sluice.vi.device;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A queue in which any thread can submit work to the thread of a device. It is a Treiber stack
/// (1986) that the device's thread removes as a whole and reverses. No thread waits for another, so
/// a device can continue even if the virtual thread that submitted work has no carrier.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `newest` | any thread | acquire | compare-and-set; the device's thread exchanges |
/// | `Order.before` | the adding thread, then the device's | plain | plain, before it is added |
///
/// Lifecycle: open → ended by the device's thread, which still performs the work that was submitted
/// before.
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

  /// Submits work. Any thread may call, and must wake the device's thread afterwards.
  ///
  /// @return false if the device's thread has ended the queue, in which case the work is not
  ///   performed
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

  /// Returns true if the queue is empty. Called on the device's thread.
  public boolean isEmpty() {
    Order now = newest.get();
    return now == null || now == ENDED;
  }

  /// Performs all submitted work in order. Called on the device's thread.
  public void run() {
    if (!isEmpty()) {
      run(newest.getAndSet(null));
    }
  }

  /// Performs all submitted work and rejects further work. Called on the device's thread.
  /// Idempotent.
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
