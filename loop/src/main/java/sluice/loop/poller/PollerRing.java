package sluice.loop.poller;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.EBUSY;
import static sluice.sys.Errno.EINTR;
import static sluice.sys.Errno.ETIME;

import sluice.loop.engine.CompletionSink;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.sys.SysException;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.IoUring;

/// One-shot polls on an io_uring: everything staged, the wait and the completions are one
/// `io_uring_enter`. Threads as [PollerPort] says; one thread after the other may await, therefore
/// the ring is opened without `SINGLE_ISSUER`.
///
/// The wake-up counter has a multishot poll, for which each write is an event of its own; it is
/// never read.
final class PollerRing implements PollerPort {
  private static final int LARGEST = 1024;
  private static final int COMPLETIONS = 4;
  private static final long WAKE = -1;

  private final IoUring ring;
  private final EventFd counter;
  private final PollerFiles files = new PollerFiles();

  /// @throws SysException when io_uring is not to be had here, with the reason
  PollerRing(int maxEntries) throws SysException {
    int entries = Math.clamp(maxEntries, 8, LARGEST);
    counter = EventFd.open(true);
    try {
      ring = IoUring.open(entries, COMPLETIONS * entries, 0);
    } catch (SysException e) {
      counter.close();
      throw e;
    }
    watchCounter();
  }

  private void watchCounter() {
    ring.submission().pollAdd(counter.fd(), PollFds.POLLIN, true, WAKE);
  }

  @Override
  public String name() {
    return "io_uring";
  }

  @Override
  public int check(int fd) {
    return files.check(fd);
  }

  @Override
  public void arm(int fd, int events, long token) {
    ring.submission().pollAdd(fd, events, false, token);
  }

  @Override
  public void cancel(long token) {
    ring.submission().pollRemove(token, 0);
  }

  @Override
  public void drain(CompletionSink sink) {
    CompletionQueue completion = ring.completion();
    int count = completion.available();
    for (int i = 0; i < count; i++) {
      long token = completion.userData(i);
      if (token > 0) {
        sink.complete(token, completion.result(i), 0);
      } else if (token == WAKE && (completion.flags(i) & Cqe.F_MORE) == 0) {
        watchCounter();
      }
    }
    completion.advance(count);
  }

  @Override
  public void turn(long timeoutNanos, CompletionSink sink) {
    // staging more than fits submits, and may have completed something
    int wait = ring.completion().available() > 0 ? 0 : 1;
    int result = ring.enter(wait, wait == 0 ? 0 : timeoutNanos);
    if (result < 0
        && result != -ETIME
        && result != -EINTR
        && result != -EBUSY
        && result != -EAGAIN) {
      throw new IllegalStateException(
          SysException.of(-result, "io_uring_enter", ring.fd(), wait, timeoutNanos));
    }
    drain(sink);
  }

  @Override
  public void wake() {
    counter.signal();
  }

  @Override
  public long calls() {
    return ring.enters() + files.calls();
  }

  @Override
  public void close() {
    ring.close();
    counter.close();
  }
}
