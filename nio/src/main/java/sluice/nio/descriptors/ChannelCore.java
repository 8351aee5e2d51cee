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

/// The descriptor of a channel: tracks the threads that wait in it and closes it safely. Any thread
/// may call.
///
/// The descriptor is closed when no thread can be about to use it. A non-blocking operation holds
/// the lock of its direction, which closing passes through, as it passes through the lock of the
/// channel's state. A blocking operation is counted and woken, and closing waits until it has left.
/// A number that the kernel reuses for another file is therefore never used by mistake.
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

  /// The epoll sets that contain the descriptor. Closing removes it from them: while a ring or a
  /// process being started also has the file, the kernel would continue to report it. And a thread
  /// in `epoll_wait` that examines the file at the moment of the close would hold the last
  /// reference: it drops that when it returns from its wait, and the peer learns nothing until
  /// then.
  private final List<Epoll> sets = new ArrayList<>(0);

  /// The keys of the channel.
  private final List<ReadyListener> listeners = new ArrayList<>(0);

  /// The number of selectors that the channel is registered with.
  public final AtomicInteger registrations = new AtomicInteger();

  public final Direction reads = new Direction();
  public final Direction writes = new Direction();

  public ChannelCore(int fd) {
    this.fd = fd;
  }

  /// Returns the descriptor. Only for a thread that holds a direction's lock, or is counted as
  /// blocked.
  public int fd() {
    return fd;
  }

  /// A direction of a channel: the lock of its operations and the thread that waits in it.
  public final class Direction {
    public final ReentrantLock lock = new ReentrantLock();
    private @Nullable Waiter waiter;
    private boolean ended;

    /// True if input has arrived since a thread last looked, which the descriptor does not report.
    private boolean came;

    /// True if the holder of [#lock] waits and will need the channel's monitor to continue. Guarded
    /// by that monitor.
    private boolean suspended;

    /// Returns true if an operation of a stream waits. For the holder of the channel's
    /// `blockingLock()`.
    public boolean isSuspended() {
      return suspended;
    }

    /// Takes [#lock]. A thread that holds the channel's monitor, which a suspended operation needs
    /// to continue, releases it until that operation has ended.
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

    /// Waits as [#await] does without limit, for an operation of a stream of
    /// `java.nio.channels.Channels`. Such a stream holds the channel's monitor, which the channel's
    /// other stream also needs. The monitor is released meanwhile; another thread waits for the
    /// descriptor and notifies the monitor.
    ///
    /// @param monitor the channel's `blockingLock()`, which the caller holds, as it holds [#lock]
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

    /// Waits until the descriptor is ready, the time is over, or a thread calls [#wake]. May return
    /// early, and does if this direction has ended.
    ///
    /// @param events `POLL` bits
    /// @param nanos negative waits without limit
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

    /// Waits until the operations in progress have ended.
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

    /// Wakes the thread that waits in this direction, which was shut down, and prevents further
    /// waits.
    public synchronized void end() {
      ended = true;
      wake();
    }
  }

  /// Releases the monitor for a short time. The callers check their condition again each time.
  ///
  /// @return true if the thread was interrupted, in which state no wait would release the monitor
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

  /// Takes the locks of both directions, to change the channel's mode. Holds neither while the
  /// monitor is released, because a stream that gets the monitor may need the other lock.
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

  /// Wakes the thread that waits for input, in the channel or in a selector.
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

  /// Makes the channel behave as the base of a `java.net` socket: interrupting a platform thread
  /// neither wakes it nor closes the channel, and closing ends the output first. Called before the
  /// first operation.
  public void behaveAsSocket() {
    behavesAsSocket = true;
  }

  public boolean behavesAsSocket() {
    return behavesAsSocket;
  }

  /// Returns true if interrupting the calling thread closes the channel that it is blocked in.
  public boolean isInterruptible() {
    return !behavesAsSocket || Thread.currentThread().isVirtual();
  }

  /// Counts a blocking operation, or a short operation that must not lose its descriptor.
  ///
  /// @throws ClosedChannelException if the channel is being closed
  public synchronized void enterBlocking() throws ClosedChannelException {
    if (closing) {
      throw new ClosedChannelException();
    }
    blocked++;
  }

  /// Ends a blocking operation. The last one lets the closing thread continue.
  public synchronized void leaveBlocking() {
    if (--blocked == 0 && closing) {
      notifyAll();
    }
  }

  /// Closes the descriptor and returns when that is done.
  ///
  /// @param blocking the channel's mode
  /// @param stateLock held by threads that use the descriptor for anything but moving bytes
  public void close(boolean blocking, Object stateLock) {
    endOperations(blocking, stateLock);
    closeDescriptor();
  }

  /// Ends the operations of a channel that does not block, and keeps the descriptor as long as
  /// selectors have the channel registered.
  ///
  /// @param stateLock as for [#close]
  /// @return true if it is kept: the last selector that releases the channel closes it
  public boolean closeLater(Object stateLock) {
    endOperations(false, stateLock);
    synchronized (this) {
      kept = !closed && registrations.get() > 0;
      return kept;
    }
  }

  /// Handles the release of the channel by a selector.
  ///
  /// @return true if the caller has to close the descriptor, which was kept until now
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

  /// Records that a thread is about to put the descriptor into a set.
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

  /// Changes an epoll set while the descriptor is guaranteed to be this channel's.
  ///
  /// @return as [Epoll#control], -EBADF after closing
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
