package sluice.isocket;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.Condition;

/// Waits that behave like those of the JDK's sockets. An interrupt terminates the wait of a virtual
/// thread, which then closes the socket. A platform thread keeps its interrupt status and continues
/// to wait. Any thread that holds the condition's lock may call.
final class Waits {
  private Waits() {}

  @SuppressWarnings("WaitNotInLoop") // callers look again
  static void await(Condition condition) throws InterruptedIOException {
    if (Thread.currentThread().isVirtual()) {
      try {
        condition.await();
      } catch (InterruptedException e) {
        throw interrupted();
      }
    } else {
      condition.awaitUninterruptibly();
    }
  }

  /// Waits until a deadline.
  ///
  /// @param deadline the deadline, by [System#nanoTime]
  /// @return false if the deadline has passed
  static boolean awaitUntil(Condition condition, long deadline) throws InterruptedIOException {
    boolean interrupted = false;
    try {
      while (true) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        try {
          return condition.awaitNanos(left) > 0;
        } catch (InterruptedException e) {
          if (Thread.currentThread().isVirtual()) {
            throw interrupted();
          }
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("Closed by interrupt");
  }
}
