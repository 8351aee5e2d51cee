package sluice.sys.uring;

import sluice.sys.Errno;
import sluice.sys.SysException;

/// Drives an [IoUring] by submitting operations, waiting for completions, and passing the
/// completions to a sink. All results of `io_uring_enter(2)` are handled in a single place.
/// Instances are confined to the thread that uses the ring (see [IoUring]).
///
/// Four errors are not treated as failures because no operation is lost and the next call
/// continues: EINTR (a signal was received), ETIME (the timeout expired), EAGAIN (there was not
/// enough memory for a request, which remains staged) and EBUSY (completions have to be drained
/// first). Any other error means that the ring cannot be used any more.
///
/// Lifecycle: created for a ring → used → [#end] before the ring is closed, if its last completions
/// are needed.
public final class RingDriver {
  /// A sink that receives completions.
  @FunctionalInterface
  public interface Sink {
    /// Handles one completion.
    ///
    /// @param userData the user data with which the operation was staged
    /// @param result the result of the operation, or a negative errno
    /// @param flags bits of [Cqe]
    void completed(long userData, int result, int flags);
  }

  private final IoUring ring;
  private final CompletionQueue completion;

  /// The number of completions that were passed to the sink and whose entries have not been
  /// returned to the kernel yet.
  private int drained;

  private boolean ended;

  public RingDriver(IoUring ring) {
    this.ring = ring;
    this.completion = ring.completion();
  }

  /// Submits all staged operations, and waits for a completion unless some are already available.
  ///
  /// @param timeoutNanos the timeout; 0 returns immediately, and a negative value waits
  ///   indefinitely
  /// @throws IllegalStateException if the ring cannot be used any more
  public void turn(long timeoutNanos) {
    int result = enter(completion.available() > 0 ? 0 : timeoutNanos);
    if (result < 0) {
      throw new IllegalStateException(SysException.of(-result, "io_uring_enter", ring.fd()));
    }
  }

  /// Submits all staged operations and waits indefinitely for a completion.
  ///
  /// @return 0, or a negative errno if the ring cannot be used any more, in which case staged and
  ///   armed operations are not changed
  public int await() {
    int result = 0;
    while (result == 0 && completion.available() == 0) {
      result = enter(-1);
    }
    return result;
  }

  private int enter(long timeoutNanos) {
    int result = ring.enter(timeoutNanos == 0 ? 0 : 1, timeoutNanos);
    return result >= 0 || isPassing(result) ? 0 : result;
  }

  private static boolean isPassing(int result) {
    return result == -Errno.EINTR
        || result == -Errno.ETIME
        || result == -Errno.EAGAIN
        || result == -Errno.EBUSY;
  }

  /// Passes all completions that are currently available to the sink. Completions that arrive
  /// during the call are not included. If the sink throws an exception for a completion, the
  /// completion is treated as handled. The sink may stage operations and may call [#end].
  ///
  /// @return the number of completions that were available
  public int drain(Sink sink) {
    int count = completion.available();
    try {
      while (drained < count && !ended) {
        int i = drained++;
        sink.completed(completion.userData(i), completion.result(i), completion.flags(i));
      }
    } finally {
      if (!ended) {
        completion.advance(drained);
      }
      drained = 0;
    }
    return count;
  }

  /// Passes the remaining completions to the sink for the last time. The ring may be closed
  /// afterwards.
  public void end(Sink rest) {
    ended = true;
    for (int i = drained; i < completion.available(); i++) {
      rest.completed(completion.userData(i), completion.result(i), completion.flags(i));
    }
  }
}
