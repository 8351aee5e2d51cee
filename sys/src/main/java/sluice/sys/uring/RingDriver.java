package sluice.sys.uring;

import sluice.sys.Errno;
import sluice.sys.SysException;

/// Turns an [IoUring]: submits, waits and hands over completions, with one rule for the ways in
/// which `io_uring_enter(2)` may end. Belongs to the thread that uses the ring, see there.
///
/// Four errors are no failures, since nothing is lost and the next call goes on: EINTR (a signal),
/// ETIME (the wait is over), EAGAIN (no memory for a request, which stays staged) and EBUSY
/// (completions are to be drained first). Every other one says that the ring cannot be used.
///
/// Lifecycle: made for a ring → used → [#end] before the ring is closed, if completions count then.
public final class RingDriver {
  /// Receives completions.
  @FunctionalInterface
  public interface Sink {
    /// @param userData what the operation was staged with
    /// @param result of the operation, or a negative errno
    /// @param flags bits of [Cqe]
    void completed(long userData, int result, int flags);
  }

  private final IoUring ring;
  private final CompletionQueue completion;

  /// Completions that were handed over and whose entries the kernel has not got back.
  private int drained;

  private boolean ended;

  public RingDriver(IoUring ring) {
    this.ring = ring;
    this.completion = ring.completion();
  }

  /// Submits all that is staged, and waits for a completion unless there are some.
  ///
  /// @param timeoutNanos 0 does not wait, negative waits without limit
  /// @throws IllegalStateException when the ring cannot be used
  public void turn(long timeoutNanos) {
    int result = enter(completion.available() > 0 ? 0 : timeoutNanos);
    if (result < 0) {
      throw new IllegalStateException(SysException.of(-result, "io_uring_enter", ring.fd()));
    }
  }

  /// Submits all that is staged and waits, however long, until there is a completion.
  ///
  /// @return 0, or a negative errno when the ring cannot be used; what is staged or armed stays so
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

  /// Hands over the completions that are there, those that come meanwhile excluded. One for which
  /// the sink throws counts as handed over. The sink may stage operations, and may call [#end].
  ///
  /// @return how many there were
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

  /// Hands over the completions that are there and were not yet handed over, for the last time: the
  /// ring may be closed now.
  public void end(Sink rest) {
    ended = true;
    for (int i = drained; i < completion.available(); i++) {
      rest.completed(completion.userData(i), completion.result(i), completion.flags(i));
    }
  }
}
