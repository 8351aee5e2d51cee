package sluice.nio.descriptors;

import java.io.IOException;
import java.util.Optional;
import sluice.sys.Epoll;

/// A mechanism by which one thread waits for a descriptor. The waiting thread calls [#await], and
/// any thread may call [#wake].
///
/// A platform thread blocks in `poll(2)` on the descriptor and a separate event counter, so that it
/// can be woken without a signal. A virtual thread parks and releases its carrier.
abstract class Waiter {
  /// Waits until the descriptor is ready, the timeout expires, or [#wake] is called. May return
  /// early.
  ///
  /// @param events `POLL` bits
  /// @param nanos the timeout, or a negative number to wait indefinitely
  abstract void await(int fd, int events, long nanos) throws IOException;

  /// Returns the epoll set that [#await] adds the descriptor to, if any.
  Optional<Epoll> epoll(int events) {
    return Optional.empty();
  }

  /// Wakes the waiting thread. If no thread is waiting, the next wait returns immediately.
  abstract void wake();

  /// Returns the borrowed resources to the pool. No thread may wake the waiter after this call.
  abstract void giveBack();

  /// Borrows a waiter for the calling thread, which may use it for any number of consecutive waits.
  static Waiter borrow() throws IOException {
    return Thread.currentThread().isVirtual() ? new ParkingWaiter() : PollingWaiter.borrow();
  }
}
