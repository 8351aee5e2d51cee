package sluice.nio.descriptors;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import sluice.sys.Epoll;
import sluice.sys.PollFds;

/// A waiter that parks a virtual thread. It is owned by the thread that created it, and any thread
/// may wake it.
public final class ParkingWaiter extends Waiter {
  private final Thread thread = Thread.currentThread();
  private volatile boolean awake;

  private static VirtualThreadPoller poller(int events) {
    return (events & PollFds.POLLOUT) != 0
        ? VirtualThreadPoller.writers()
        : VirtualThreadPoller.readers();
  }

  @Override
  Optional<Epoll> epoll(int events) {
    return Optional.of(poller(events).epoll());
  }

  @Override
  public void await(int fd, int events, long nanos) throws IOException {
    VirtualThreadPoller poller = poller(events);
    long token = poller.arm(fd, events, this);
    try {
      long deadline = System.nanoTime() + nanos;
      while (!awake && !thread.isInterrupted()) {
        if (nanos < 0) {
          LockSupport.park(this);
        } else {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            return;
          }
          LockSupport.parkNanos(this, left);
        }
      }
    } finally {
      poller.forget(token);
      awake = false;
    }
  }

  @Override
  void wake() {
    awake = true;
    LockSupport.unpark(thread);
  }

  @Override
  void giveBack() {}
}
