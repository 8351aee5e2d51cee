package sluice.testkit;

import java.io.IOException;
import sluice.loop.poller.Poller;

/// What a poller's contract is held against: a kernel's descriptors and time, or simulated ones.
/// The test's thread owns it.
public interface PollerContractWorld extends AutoCloseable {
  /// A descriptor whose readiness the test decides; writable from the beginning.
  interface Subject extends AutoCloseable {
    int fd();

    /// Makes it readable, or not.
    void readable(boolean readable);

    @Override
    void close();
  }

  Poller open(int maxEntries) throws IOException;

  Subject subject() throws IOException;

  /// Does something after a while, beside the test's thread.
  void later(long delayNanos, Runnable action);

  /// The clock of its waits.
  long nanos();

  @Override
  void close();
}
