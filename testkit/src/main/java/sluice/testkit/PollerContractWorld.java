package sluice.testkit;

import java.io.IOException;
import sluice.loop.poller.Poller;

/// The environment of a poller's contract: real descriptors and time, or simulated ones. Owned by
/// the test's thread.
public interface PollerContractWorld extends AutoCloseable {
  /// A descriptor whose readiness the test controls; writable from the beginning.
  interface Subject extends AutoCloseable {
    int fd();

    /// Makes the descriptor readable or not.
    void readable(boolean readable);

    @Override
    void close();
  }

  Poller open(int maxEntries) throws IOException;

  Subject subject() throws IOException;

  /// Runs an action after a delay, concurrently with the test's thread.
  void later(long delayNanos, Runnable action);

  /// Returns the time of the clock that the waits use.
  long nanos();

  @Override
  void close();
}
