package sluice.domain;

import java.util.concurrent.locks.LockSupport;

/// Holds the threads of a domain at their gates while its budget is overdrawn.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | closed | the warden's thread; the thread that ends the domain | volatile, at gates | volatile |
final class Throttle implements Runnable {
  private static final long LOOK_NANOS = 1_000_000;

  private volatile boolean closed;

  void close(boolean isClosed) {
    closed = isClosed;
  }

  /// By gates of a domain that was over its budget lately.
  @Override
  public void run() {
    if (closed) {
      hold();
    }
  }

  /// Keeps the interrupt of a thread for what the thread does next.
  private void hold() {
    boolean wasInterrupted = false;
    while (closed) {
      LockSupport.parkNanos(this, LOOK_NANOS);
      wasInterrupted |= Thread.interrupted();
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
