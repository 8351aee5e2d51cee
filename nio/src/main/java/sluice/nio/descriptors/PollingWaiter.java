package sluice.nio.descriptors;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.sys.SysException;

/// A waiter that blocks a platform thread in `poll(2)`. Only the thread that borrowed it may wait,
/// and any thread may wake it.
///
/// Up to 64 waiters are pooled for the next thread that blocks. A thread that terminates therefore
/// leaks no descriptor.
final class PollingWaiter extends Waiter {
  private static final int KEPT = 64;
  private static final ConcurrentLinkedQueue<PollingWaiter> POOL = new ConcurrentLinkedQueue<>();
  private static final AtomicInteger POOLED = new AtomicInteger();

  private final PollFds fds = new PollFds(2);
  private final EventFd event;

  private PollingWaiter() throws SysException {
    event = EventFd.open(true);
  }

  static PollingWaiter borrow() throws SysException {
    PollingWaiter free = POOL.poll();
    if (free == null) {
      return new PollingWaiter();
    }
    POOLED.decrementAndGet();
    return free;
  }

  @Override
  void await(int fd, int events, long nanos) {
    fds.set(0, fd, events);
    fds.set(1, event.fd(), PollFds.POLLIN);
    int ready = fds.poll(2, nanos);
    if (ready > 0 && fds.revents(1) != 0) {
      event.drain();
    }
  }

  @Override
  void wake() {
    event.signal();
  }

  @Override
  void giveBack() {
    event.drain();
    if (POOLED.incrementAndGet() <= KEPT) {
      POOL.add(this);
    } else {
      POOLED.decrementAndGet();
      event.close();
    }
  }
}
