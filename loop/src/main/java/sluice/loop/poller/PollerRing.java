package sluice.loop.poller;

import sluice.loop.engine.CompletionSink;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.sys.SysException;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.RingDriver;

/// A [PollerPort] based on io_uring. The submission, the wait and the completions take a single
/// `io_uring_enter`. The threading rules of [PollerPort] apply. Different threads may wait one
/// after the other, so the ring is opened without `SINGLE_ISSUER`.
///
/// The wake-up counter is watched by a multishot poll, for which each write is a separate event.
/// The counter is never read.
final class PollerRing implements PollerPort {
  private static final int LARGEST = 1024;
  private static final int COMPLETIONS = 4;
  private static final long WAKE = -1;

  private final IoUring ring;
  private final RingDriver driver;
  private final EventFd counter;
  private final RingDriver.Sink completions = this::completed;

  /// The sink of the last drain's completions.
  private CompletionSink sink = (_, _, _) -> {};

  private final PollerFiles files = new PollerFiles();

  /// Opens a ring.
  ///
  /// @throws SysException if io_uring is not available; the message states the reason
  PollerRing(int maxEntries) throws SysException {
    int entries = Math.clamp(maxEntries, 8, LARGEST);
    counter = EventFd.open(true);
    try {
      ring = IoUring.open(entries, COMPLETIONS * entries, 0);
    } catch (SysException e) {
      counter.close();
      throw e;
    }
    driver = new RingDriver(ring);
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
    this.sink = sink;
    driver.drain(completions);
  }

  private void completed(long token, int result, int flags) {
    if (token > 0) {
      sink.complete(token, result, 0);
    } else if (token == WAKE && (flags & Cqe.F_MORE) == 0) {
      watchCounter();
    }
  }

  @Override
  public void turn(long timeoutNanos, CompletionSink sink) {
    driver.turn(timeoutNanos);
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
