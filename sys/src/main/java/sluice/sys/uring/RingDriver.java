package sluice.sys.uring;

import sluice.sys.Errno;
import sluice.sys.SysException;

/// Drives an [IoUring]: submits operations, waits and hands over completions, with one rule for all
/// outcomes of `io_uring_enter(2)`. Confined to the thread that uses the ring, see [IoUring].
///
/// Four errors are not failures, because nothing is lost and the next call continues: EINTR (a
/// signal), ETIME (the wait is over), EAGAIN (no memory for a request, which stays staged) and
/// EBUSY (completions have to be drained first). Any other error means that the ring is unusable.
///
/// Lifecycle: created for a ring → used → [#end] before the ring is closed, if its last completions
/// matter.
public final class RingDriver {
  /// Receives completions.
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

  /// The number of completions that were handed over and whose entries have not yet been returned
  /// to the kernel.
  private int drained;

  private boolean ended;

  public RingDriver(IoUring ring) {
    this.ring = ring;
    this.completion = ring.completion();
  }

  /// Submits all staged operations, and waits for a completion unless some are ready.
  ///
  /// @param timeoutNanos the longest time to wait; 0 does not wait, a negative value waits without
  ///   limit
  /// @throws IllegalStateException if the ring is unusable
  public void turn(long timeoutNanos) {
    int result = enter(completion.available() > 0 ? 0 : timeoutNanos);
    if (result < 0) {
      throw new IllegalStateException(SysException.of(-result, "io_uring_enter", ring.fd()));
    }
  }

  /// Submits all staged operations and waits without limit until there is a completion.
  ///
  /// @return 0, or a negative errno if the ring is unusable; staged and armed operations stay as
  ///   they are
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

  /// Hands over the completions that are ready now, but none that arrive during the call. A
  /// completion for which the sink throws counts as handed over. The sink may stage operations and
  /// may call [#end].
  ///
  /// @return the number of completions that were ready
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

  /// Hands over the remaining completions for the last time. The ring may be closed afterwards.
  public void end(Sink rest) {
    ended = true;
    for (int i = drained; i < completion.available(); i++) {
      rest.completed(completion.userData(i), completion.result(i), completion.flags(i));
    }
  }
}
