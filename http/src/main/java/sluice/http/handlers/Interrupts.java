package sluice.http.handlers;

import java.io.InterruptedIOException;

/// What an interrupt becomes in a stream of a request or reply.
final class Interrupts {
  private Interrupts() {}

  /// Sets the interrupt of the calling thread again, and returns what it is to throw.
  static InterruptedIOException asFailure(InterruptedException cause, String message) {
    Thread.currentThread().interrupt();
    InterruptedIOException failure = new InterruptedIOException(message);
    failure.initCause(cause);
    return failure;
  }
}
