package sluice.nio.descriptors;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;

/// The descriptor of a channel. This class tracks the threads that are blocked on the descriptor
/// and closes it safely. Any thread may call it.
///
/// The descriptor is closed only when no thread can be about to use it. A non-blocking operation
/// holds the lock of its direction, and the closing thread acquires and releases both these locks
/// and the lock of the channel's state. Blocking operations are counted and woken, and the closing
/// thread waits until they have returned. This ensures that a descriptor number is never used by
/// mistake after the kernel has reused it for another file.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `behavesAsSocket` | before the first blocking operation | volatile | volatile |
/// | `closing`, `kept`, `closed`, `blocked`, `sets`, `listeners` | any thread | under this object's lock | the same |
/// | `Direction.waiter` | the waiting thread | under the direction's lock object | the same |
/// | `Direction.ended`, `Direction.came` | any thread | under the direction's lock object | the same |
/// | `Direction.suspended` | holder of the direction's `lock` | under the channel's `blockingLock()` | the same |
///
/// Lifecycle: open → closing (operations end) → kept, until the last selector releases it → closed.
public final class ChannelCore {
  private static final int LOOK_AGAIN_MILLIS = 1;

  private final int fd;
  private boolean closing;
  private boolean kept;
  private boolean closed;
  private int blocked;
  private volatile boolean behavesAsSocket;

  /// The epoll sets that contain the descriptor, which is removed from them when the channel
  /// closes. Otherwise the kernel would continue to report the file while a ring or a process being
  /// started still refers to it. In addition, a thread in `epoll_wait` that examines the file at
  /// the moment of the close would hold the last reference until it returns from its wait, and the
  /// peer would not be notified until then.
  private final List<Epoll> sets = new ArrayList<>(0);

  private final List<ReadyListener> listeners = new ArrayList<>(0);

  /// The number of selectors that the channel is registered with.
  public final AtomicInteger registrations = new AtomicInteger();

  public final Direction reads = new Direction();
  public final Direction writes = new Direction();

  public ChannelCore(int fd) {
    this.fd = fd;
  }

  /// Returns the descriptor. The caller must hold the lock of a direction or be counted as blocked.
  public int fd() {
    return fd;
  }

  /// One direction of a channel, with the lock of its operations and the thread that waits in it.
  public final class Direction {
    public final ReentrantLock lock = new ReentrantLock();
    private @Nullable Waiter waiter;
    private boolean ended;

    /// True if input that the descriptor does not report has arrived since a thread last checked.
    private boolean came;

    /// True if the holder of [#lock] is waiting and will need the channel's monitor to continue.
    /// Guarded by that monitor.
    private boolean suspended;

    /// Returns true if an operation of a stream is waiting. The caller must hold the channel's
    /// `blockingLock()`.
    public boolean isSuspended() {
      return suspended;
    }

    /// Acquires [#lock]. If the calling thread holds the channel's monitor and a suspended
    /// operation needs that monitor to continue, the thread releases it until that operation has
    /// completed.
    ///
    /// @param monitor the channel's `blockingLock()`
    public void lock(Object monitor) {
      boolean interrupted = false;
      while (!lock.tryLock()) {
        if (!Thread.holdsLock(monitor) || !suspended) {
          lock.lock();
          break;
        }
        interrupted |= Thread.interrupted();
        interrupted |= giveUpShortly(monitor);
      }
      restore(interrupted);
    }

    /// Waits indefinitely, as [#await] does, for an operation of a stream of
    /// `java.nio.channels.Channels`. Such a stream holds the channel's monitor, which the channel's
    /// other stream also needs. This method therefore releases the monitor while another thread
    /// waits for the descriptor and notifies the monitor.
    ///
    /// @param monitor the channel's `blockingLock()`, which the caller holds in addition to [#lock]
    void awaitWithoutMonitor(int events, Object monitor) throws IOException {
      CompletableFuture<Void> ready = new CompletableFuture<>();
      suspended = true;
      Thread.startVirtualThread(() -> {
        try {
          await(events, -1);
          ready.complete(null);
        } catch (IOException | RuntimeException | Error failure) {
          ready.completeExceptionally(failure);
        } finally {
          synchronized (monitor) {
            monitor.notifyAll();
          }
        }
      });
      boolean interrupted = false;
      while (!ready.isDone()) {
        try {
          monitor.wait();
        } catch (InterruptedException later) { // which closes the channel, and so ends the wait
          interrupted = true;
        }
      }
      suspended = false;
      restore(interrupted);
      if (ready.isCompletedExceptionally()) {
        throw new IOException(ready.exceptionNow());
      }
    }

    /// Waits until the descriptor is ready, the timeout expires, or a thread calls [#wake]. This
    /// method may return early, and always does if this direction has been shut down.
    ///
    /// @param events `POLL` bits
    /// @param nanos the timeout, or a negative number to wait indefinitely
    public void await(int events, long nanos) throws IOException {
      Waiter mine = Waiter.borrow();
      boolean needless;
      synchronized (this) {
        waiter = mine;
        needless = ended || came;
        came = false;
      }
      try {
        if (!needless && !isClosing()) {
          mine.epoll(events).ifPresent(ChannelCore.this::isIn);
          mine.await(fd, events, nanos);
        }
      } finally {
        synchronized (this) {
          waiter = null;
        }
        mine.giveBack();
      }
    }

    /// Waits until the operations in progress have completed.
    public void pass() {
      lock.lock();
      try {
        assert lock.isHeldByCurrentThread();
      } finally {
        lock.unlock();
      }
    }

    private synchronized void come() {
      came = true;
      wake();
    }

    public synchronized void wake() {
      if (waiter != null) {
        waiter.wake();
      }
    }

    /// Shuts down this direction by waking the waiting thread and preventing further waits.
    public synchronized void end() {
      ended = true;
      wake();
    }
  }

  /// Releases the monitor for a short time. Callers must check their condition again after each
  /// call.
  ///
  /// @return true if the thread is interrupted, in which case no wait would release the monitor
  @SuppressWarnings("WaitNotInLoop")
  private static boolean giveUpShortly(Object monitor) {
    try {
      monitor.wait(LOOK_AGAIN_MILLIS);
      return false;
    } catch (InterruptedException later) {
      return true;
    }
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Acquires the locks of both directions in order to change the channel's mode. Neither lock is
  /// held while the monitor is released, because a stream that acquires the monitor may need the
  /// other lock.
  ///
  /// @param monitor the channel's `blockingLock()`, which the caller holds
  public void lockBoth(Object monitor) {
    boolean interrupted = false;
    reads.lock(monitor);
    while (!writes.lock.tryLock()) {
      if (!writes.suspended) {
        writes.lock.lock();
        break;
      }
      reads.lock.unlock();
      interrupted |= Thread.interrupted();
      interrupted |= giveUpShortly(monitor);
      reads.lock(monitor);
    }
    restore(interrupted);
  }

  public synchronized void listen(ReadyListener listener) {
    listeners.add(listener);
  }

  public synchronized void unlisten(ReadyListener listener) {
    listeners.remove(listener);
  }

  /// Wakes the thread that is waiting for input in the channel or in a selector.
  public void inputCame() {
    synchronized (this) {
      for (int i = 0; i < listeners.size(); i++) {
        listeners.get(i).readyWithoutKernel();
      }
    }
    reads.come();
  }

  synchronized boolean isClosing() {
    return closing;
  }

  /// Makes the channel behave as the basis of a `java.net` socket. Interrupting a platform thread
  /// neither wakes the thread nor closes the channel, and closing the channel shuts down the output
  /// first. This method must be called before the first operation.
  public void behaveAsSocket() {
    behavesAsSocket = true;
  }

  public boolean behavesAsSocket() {
    return behavesAsSocket;
  }

  /// Returns true if interrupting the calling thread closes the channel on which it is blocked.
  public boolean isInterruptible() {
    return !behavesAsSocket || Thread.currentThread().isVirtual();
  }

  /// Registers a blocking operation, or a short operation during which the descriptor must not be
  /// closed.
  ///
  /// @throws ClosedChannelException if the channel is being closed
  public synchronized void enterBlocking() throws ClosedChannelException {
    if (closing) {
      throw new ClosedChannelException();
    }
    blocked++;
  }

  /// Unregisters a blocking operation. When the last operation leaves, the closing thread
  /// continues.
  public synchronized void leaveBlocking() {
    if (--blocked == 0 && closing) {
      notifyAll();
    }
  }

  /// Closes the descriptor and returns after it has been closed.
  ///
  /// @param blocking true if the channel is in blocking mode
  /// @param stateLock the lock that is held by threads that use the descriptor for anything other
  ///   than transferring bytes
  public void close(boolean blocking, Object stateLock) {
    endOperations(blocking, stateLock);
    closeDescriptor();
  }

  /// Terminates the operations of a channel in non-blocking mode, and keeps the descriptor open as
  /// long as selectors have the channel registered.
  ///
  /// @param stateLock the same lock as in [#close]
  /// @return true if the descriptor is kept open, in which case the last selector that releases the
  ///   channel closes it
  public boolean closeLater(Object stateLock) {
    endOperations(false, stateLock);
    synchronized (this) {
      kept = !closed && registrations.get() > 0;
      return kept;
    }
  }

  /// Records that a selector has released the channel.
  ///
  /// @return true if the caller must close the descriptor, which was kept open until now
  public synchronized boolean endsKeeping() {
    boolean ends = kept && registrations.get() == 0;
    kept &= !ends;
    return ends;
  }

  private void endOperations(boolean blocking, Object stateLock) {
    synchronized (stateLock) {
      synchronized (this) {
        closing = true;
      }
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
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Records that a thread is about to add the descriptor to a set.
  private synchronized void isIn(Epoll set) {
    if (!sets.contains(set)) {
      sets.add(set);
    }
  }

  private synchronized void closeDescriptor() {
    if (!closed) {
      closed = true;
      for (Epoll set : sets) {
        int _ = set.control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
      }
      sets.clear();
      Files.close(fd);
    }
  }

  /// Modifies an epoll set while the descriptor is guaranteed to belong to this channel.
  ///
  /// @return the result of [Epoll#control], or -EBADF if the descriptor has been closed
  public synchronized int control(Epoll epoll, int operation, int events, long data) {
    if (closed) {
      return -Errno.EBADF;
    }
    int result = epoll.control(operation, fd, events, data);
    if (operation == Epoll.EPOLL_CTL_DEL) {
      sets.remove(epoll);
    } else if (operation == Epoll.EPOLL_CTL_ADD && result >= 0) {
      sets.add(epoll);
    }
    return result;
  }
}
