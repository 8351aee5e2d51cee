package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.sys.call.ErrnoSlots;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// A counter with a descriptor. One thread waits for the counter, and any thread may increment it.
///
/// Any thread may call [#signal]. All other methods must be called by the owner. Closing the
/// counter waits for signals that are in progress, so that a late signal cannot write to another
/// file that has the same descriptor number.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `signalling` | any thread | volatile | compare-and-set; negative once closed |
public final class EventFd implements AutoCloseable {
  static final int EFD_NONBLOCK = 0x800;
  static final int EFD_CLOEXEC = 0x80000;

  private static final int CLOSED = Integer.MIN_VALUE;
  private static final MemorySegment ONE = Arena.global().allocateFrom(JAVA_LONG, 1L);

  private final int fd;
  private final AtomicInteger signalling = new AtomicInteger();

  private EventFd(int fd) {
    this.fd = fd;
  }

  /// Opens a counter with the value 0 and with close-on-exec.
  ///
  /// @param nonBlocking true if [#drain] should return -EAGAIN when the counter is 0; a ring needs
  ///   a blocking counter so that it can wait in a read
  public static EventFd open(boolean nonBlocking) throws SysException {
    int flags = EFD_CLOEXEC | (nonBlocking ? EFD_NONBLOCK : 0);
    long fd = Kernel.call(SystemCall.EVENTFD2, 0, flags);
    return new EventFd((int) SysException.check(fd, "eventfd2", 0, flags));
  }

  /// Returns the descriptor, which becomes readable when the counter is signalled.
  public int fd() {
    return fd;
  }

  /// Increments the counter, which makes the descriptor readable.
  ///
  /// @return true if the counter was open
  public boolean signal() {
    int users;
    do {
      users = signalling.get();
      if (users < 0) {
        return false;
      }
    } while (!signalling.compareAndSet(users, users + 1));
    try {
      Kernel.callWithBuffer(SystemCall.WRITE, fd, ONE, Long.BYTES);
      return true;
    } finally {
      signalling.decrementAndGet();
    }
  }

  /// Reads the counter and resets it to 0.
  ///
  /// @return the count, or -EAGAIN if it was 0
  public long drain() {
    if (signalling.get() < 0) {
      return -Errno.EBADF;
    }
    int slot = ErrnoSlots.borrow();
    if (slot < 0) {
      try (Arena arena = Arena.ofConfined()) {
        return drain(arena.allocate(ErrnoSlots.SCRATCH + Long.BYTES, Long.BYTES));
      }
    }
    try {
      return drain(ErrnoSlots.segment(slot));
    } finally {
      ErrnoSlots.giveBack(slot);
    }
  }

  private long drain(MemorySegment scratch) {
    long counter = ErrnoSlots.SCRATCH;
    long result =
        Kernel.call(scratch, SystemCall.READ, fd, scratch.address() + counter, Long.BYTES, 0, 0, 0);
    return result < 0 ? result : scratch.get(JAVA_LONG, counter);
  }

  /// Closes the descriptor. This method is idempotent.
  @Override
  public void close() {
    while (!signalling.compareAndSet(0, CLOSED)) {
      if (signalling.get() < 0) {
        return;
      }
      Thread.onSpinWait();
    }
    Kernel.call(SystemCall.CLOSE, fd);
  }
}
