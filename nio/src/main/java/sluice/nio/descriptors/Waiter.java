package sluice.nio.descriptors;

import java.io.IOException;
import java.util.Optional;
import sluice.sys.Epoll;

/// How one thread waits for a descriptor. The waiting thread calls [#await], any thread [#wake].
///
/// A platform thread sits in `poll(2)` on the descriptor and an event counter of its own, so that
/// no signal is needed to get it out; a virtual thread parks and frees its carrier.
abstract class Waiter {
  /// @param events `POLL` bits
  /// @param nanos negative waits without limit
  abstract void await(int fd, int events, long nanos) throws IOException;

  /// The set that [#await] would put the descriptor into.
  Optional<Epoll> epoll(int events) {
    return Optional.empty();
  }

  /// Ends the wait under way, or the next one.
  abstract void wake();

  /// Returns what the waiter has borrowed. No thread wakes it any more.
  abstract void giveBack();

  /// One for the calling thread, for one wait after another.
  static Waiter borrow() throws IOException {
    return Thread.currentThread().isVirtual() ? new ParkingWaiter() : PollingWaiter.borrow();
  }
}
