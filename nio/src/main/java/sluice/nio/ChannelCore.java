package sluice.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;

/// A channel's descriptor: who waits in it, and when it is closed. Any thread may call.
///
/// The descriptor is closed when nobody can be about to name it: a non-blocking operation holds the
/// lock of its direction, which closing passes through; a blocking one is counted, woken, and the
/// last to leave closes. So a number that the kernel gives to another file is never used by
/// mistake.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `closing`, `closed`, `blocked` | any thread | under this object's lock | the same |
/// | `Direction.waiter` | the waiting thread | under the direction's lock object | the same |
///
/// Lifecycle: open → closing (operations end) → closed.
final class ChannelCore {
  private final int fd;
  private boolean closing;
  private boolean closed;
  private int blocked;

  /// Selectors that the channel is registered with.
  final AtomicInteger registrations = new AtomicInteger();

  final Direction reads = new Direction();
  final Direction writes = new Direction();

  ChannelCore(int fd) {
    this.fd = fd;
  }

  /// The descriptor. Only for whoever holds a direction's lock, or is counted as blocked.
  int fd() {
    return fd;
  }

  /// One direction of a channel: the lock of its operations and the thread that waits in it.
  final class Direction {
    final ReentrantLock lock = new ReentrantLock();
    private @Nullable Waiter waiter;

    /// Waits until the descriptor is ready, the time is over, or somebody wakes. May return early.
    ///
    /// @param events `POLL` bits
    /// @param nanos negative waits without limit
    void await(int events, long nanos) throws IOException {
      Waiter mine = Waiter.borrow();
      synchronized (this) {
        waiter = mine;
      }
      try {
        if (!isClosing()) {
          mine.await(fd, events, nanos);
        }
      } finally {
        synchronized (this) {
          waiter = null;
        }
        mine.giveBack();
      }
    }

    /// Returns when the operations that have begun are over.
    void pass() {
      lock.lock();
      try {
        assert lock.isHeldByCurrentThread();
      } finally {
        lock.unlock();
      }
    }

    synchronized void wake() {
      if (waiter != null) {
        waiter.wake();
      }
    }
  }

  synchronized boolean isClosing() {
    return closing;
  }

  /// Counts a blocking operation.
  ///
  /// @throws ClosedChannelException when the channel is being closed
  synchronized void enterBlocking() throws ClosedChannelException {
    if (closing) {
      throw new ClosedChannelException();
    }
    blocked++;
  }

  /// Ends a blocking operation; the last one closes the descriptor of a channel that is closing.
  synchronized void leaveBlocking() {
    if (--blocked == 0 && closing) {
      release();
    }
  }

  /// Closes the descriptor and returns when that is done. Called once.
  ///
  /// @param blocking the channel's mode
  void close(boolean blocking) {
    synchronized (this) {
      closing = true;
    }
    reads.wake();
    writes.wake();
    if (!blocking) {
      reads.pass();
      writes.pass();
    }
    synchronized (this) {
      boolean interrupted = false;
      while (blocked > 0) { // woken, on their way out
        try {
          wait();
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
      release();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void release() {
    if (!closed) {
      closed = true;
      Files.close(fd);
    }
    notifyAll();
  }

  /// Changes an epoll set while the descriptor is surely this channel's.
  ///
  /// @return as [Epoll#control], -EBADF after closing
  synchronized int control(Epoll epoll, int operation, int events, long data) {
    return closed ? -Errno.EBADF : epoll.control(operation, fd, events, data);
  }
}
