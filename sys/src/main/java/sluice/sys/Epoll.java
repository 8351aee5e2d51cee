package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.sys.call.ErrnoSlots;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// An epoll descriptor.
///
/// Any thread may call [#control]. Each thread that waits must use its own [EpollEvents]. The
/// descriptor must not be closed while any thread is waiting or calling [#control], because its
/// number could then refer to another file.
public final class Epoll implements AutoCloseable {
  public static final int EPOLL_CTL_ADD = 1;
  public static final int EPOLL_CTL_DEL = 2;
  public static final int EPOLL_CTL_MOD = 3;

  public static final int EPOLLIN = 1;
  public static final int EPOLLPRI = 2;
  public static final int EPOLLOUT = 4;
  public static final int EPOLLERR = 8;
  public static final int EPOLLHUP = 0x10;
  public static final int EPOLLRDHUP = 0x2000;
  public static final int EPOLLEXCLUSIVE = 1 << 28;
  public static final int EPOLLONESHOT = 1 << 30;
  public static final int EPOLLET = 1 << 31;

  static final int EPOLL_CLOEXEC = 0x80000;

  private final int fd;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Epoll(int fd) {
    this.fd = fd;
  }

  /// Opens an epoll descriptor with close-on-exec.
  public static Epoll create() throws SysException {
    long fd = Kernel.call(SystemCall.EPOLL_CREATE1, EPOLL_CLOEXEC);
    return new Epoll((int) SysException.check(fd, "epoll_create1", EPOLL_CLOEXEC));
  }

  /// Returns the descriptor of this epoll instance, which can itself be polled.
  public int fd() {
    return fd;
  }

  /// Adds, changes or removes a descriptor.
  ///
  /// @param operation an `EPOLL_CTL_` constant
  /// @param events a combination of `EPOLL` bits
  /// @param data a value that is returned with each event
  /// @return 0, or -EEXIST, -ENOENT, -EBADF, -EPERM (for a regular file), -ENOSPC, …
  public int control(int operation, int target, int events, long data) {
    if (closed.get()) {
      return -Errno.EBADF;
    }
    int slot = ErrnoSlots.borrow();
    if (slot < 0) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment own = arena.allocate(ErrnoSlots.SCRATCH + EpollEvents.SIZE, Long.BYTES);
        return control(own, operation, target, events, data);
      }
    }
    try {
      return control(ErrnoSlots.segment(slot), operation, target, events, data);
    } finally {
      ErrnoSlots.giveBack(slot);
    }
  }

  private int control(MemorySegment scratch, int operation, int target, int events, long data) {
    long event = ErrnoSlots.SCRATCH;
    scratch.set(JAVA_INT_UNALIGNED, event + EpollEvents.EVENTS, events);
    scratch.set(JAVA_LONG_UNALIGNED, event + EpollEvents.DATA, data);
    return (int)
        Kernel.call(
            scratch, SystemCall.EPOLL_CTL, fd, operation, target, scratch.address() + event, 0, 0);
  }

  /// Waits for events.
  ///
  /// @param timeoutNanos the timeout; 0 returns immediately, and a negative value waits
  ///   indefinitely
  /// @return the number of events in `into`, or -EINTR, …
  public int await(EpollEvents into, long timeoutNanos) {
    return await(into, into.capacity(), timeoutNanos);
  }

  /// Waits for at most `limit` events. The next call continues with the descriptors after them, so
  /// that no descriptor is starved.
  ///
  /// @param limit 1 to the capacity of `into`
  public int await(EpollEvents into, int limit, long timeoutNanos) {
    Objects.checkIndex(limit - 1, into.capacity());
    if (closed.get()) {
      return -Errno.EBADF;
    }
    into.memory().beginCall();
    try {
      return waitWithin(into, limit, timeoutNanos);
    } finally {
      into.memory().endCall();
    }
  }

  private int waitWithin(EpollEvents into, int limit, long timeoutNanos) {
    if (timeoutNanos <= 0) {
      long milliseconds = timeoutNanos < 0 ? -1 : 0;
      return wait(into, limit, SystemCall.EPOLL_PWAIT, milliseconds);
    }
    int result = wait(into, limit, SystemCall.EPOLL_PWAIT2, into.time(timeoutNanos));
    if (result != -Errno.ENOSYS) {
      return result;
    }
    // Before Linux 5.11, the timeout is in milliseconds. It is rounded up so that it never expires
    // too early.
    long milliseconds = TimeUnit.NANOSECONDS.toMillis(timeoutNanos - 1) + 1;
    return wait(into, limit, SystemCall.EPOLL_PWAIT, Math.min(milliseconds, Integer.MAX_VALUE));
  }

  private int wait(EpollEvents into, int limit, SystemCall call, long timeout) {
    MemorySegment events = into.segment();
    return (int)
        Kernel.callHolding(into.errno(), events, call, fd, events.address(), limit, timeout, 0, 0);
  }

  /// Closes the descriptor. This method is idempotent.
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Kernel.call(SystemCall.CLOSE, fd);
    }
  }
}
