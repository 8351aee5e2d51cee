package sluice.nio.descriptors;

import java.io.IOException;
import java.util.Optional;
import sluice.sys.Epoll;

/// A means for one thread to wait for a descriptor. The waiting thread calls [#await], any thread
/// [#wake].
///
/// A platform thread blocks in `poll(2)` on the descriptor and a separate event counter, so that no
/// signal is needed to end its wait; a virtual thread parks and frees its carrier.
abstract class Waiter {
  /// Waits until the descriptor is ready, the time is over, or [#wake] is called. May return early.
  ///
  /// @param events `POLL` bits
  /// @param nanos negative waits without limit
  abstract void await(int fd, int events, long nanos) throws IOException;

  /// Returns the epoll set that [#await] would put the descriptor into.
  Optional<Epoll> epoll(int events) {
    return Optional.empty();
  }

  /// Ends the current wait, or the next one.
  abstract void wake();

  /// Returns the borrowed resources. No thread wakes the waiter any more.
  abstract void giveBack();

  /// Returns a waiter for the calling thread, for any number of consecutive waits.
  static Waiter borrow() throws IOException {
    return Thread.currentThread().isVirtual() ? new ParkingWaiter() : PollingWaiter.borrow();
  }
}
