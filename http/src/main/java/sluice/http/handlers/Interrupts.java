package sluice.http.handlers;

import java.io.InterruptedIOException;

/// Converts interrupts into exceptions of the streams of requests and replies.
final class Interrupts {
  private Interrupts() {}

  /// Restores the interrupt status of the calling thread, and returns the exception to throw.
  static InterruptedIOException asFailure(InterruptedException cause, String message) {
    Thread.currentThread().interrupt();
    InterruptedIOException failure = new InterruptedIOException(message);
    failure.initCause(cause);
    return failure;
  }
}
