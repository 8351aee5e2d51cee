package sluice.vi.device;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Work that any thread gives to the thread of a device, and that is done once: a stack of Treiber
/// (1986) that the device's thread takes whole and turns round. No thread waits for another one, so
/// that a device goes on while the virtual thread that gave it something has no carrier.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `newest` | any thread | acquire | compare-and-set; the device's thread exchanges |
/// | `Order.before` | the adding thread, then the device's | plain | plain, before it is added |
///
/// Lifecycle: open → ended, by the device's thread: what was added before is still done.
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

  /// Makes an empty one.
  public Orders() {}

  /// Adds work. Any thread; it then wakes the device's.
  ///
  /// @return false when the device's thread has ended: it is not done
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

  /// Whether there is work. By the device's thread.
  public boolean isEmpty() {
    Order now = newest.get();
    return now == null || now == ENDED;
  }

  /// Does all that was added, in its order. By the device's thread.
  public void run() {
    if (!isEmpty()) {
      run(newest.getAndSet(null));
    }
  }

  /// Does all that was added and takes no more. By the device's thread, idempotent.
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
