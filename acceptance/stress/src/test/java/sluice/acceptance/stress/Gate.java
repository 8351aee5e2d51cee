package sluice.acceptance.stress;

import java.util.concurrent.atomic.AtomicInteger;

/// Lets two threads begin together, so that each state is a race and not only the first of many.
/// Each of the two calls [#pass] once.
final class Gate {
  private final AtomicInteger missing = new AtomicInteger(2);

  /// Waits for the other thread, which may have to wait for a processor.
  void pass() {
    missing.decrementAndGet();
    while (missing.getAcquire() > 0) {
      Thread.yield();
    }
  }
}
