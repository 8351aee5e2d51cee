package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import sluice.sys.call.CallMemory;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;
import sluice.sys.call.Timespec;

/// An array of `struct pollfd`, together with `ppoll(2)`.
///
/// An instance may be used by only one thread at a time because [#poll] writes to it. The kernel
/// skips entries that have a negative descriptor.
///
/// ```
///  byte 0    4        6         8
///      +----+--------+---------+
///      | fd | events | revents |
///      +----+--------+---------+
/// ```
///
/// ```c
/// struct pollfd { int fd; short events; short revents; };
/// ```
public final class PollFds implements AutoCloseable {
  static final Layout LAYOUT = Layout.of("struct pollfd");
  static final int FD = LAYOUT.u32("fd");
  static final int EVENTS = LAYOUT.u16("events");
  static final int REVENTS = LAYOUT.u16("revents");
  static final int SIZE = LAYOUT.sizeBytes();

  public static final int POLLIN = 1;
  public static final int POLLPRI = 2;
  public static final int POLLOUT = 4;
  public static final int POLLERR = 8;
  public static final int POLLHUP = 0x10;
  public static final int POLLNVAL = 0x20;
  public static final int POLLRDNORM = 0x40;
  public static final int POLLRDBAND = 0x80;
  public static final int POLLWRNORM = 0x100;
  public static final int POLLWRBAND = 0x200;
  public static final int POLLMSG = 0x400;
  public static final int POLLREMOVE = 0x1000;
  public static final int POLLRDHUP = 0x2000;

  private final CallMemory memory;
  private final int capacity;
  private MemorySegment segment;
  private MemorySegment time;
  private MemorySegment errno;

  /// Creates an array in memory that is freed by the garbage collector.
  ///
  /// @param capacity the number of entries, at least 1
  public PollFds(int capacity) {
    this(capacity, CallMemory.collected(bytes(capacity)));
  }

  private PollFds(int capacity, CallMemory memory) {
    this.capacity = capacity;
    this.memory = memory;
    segment = memory.part((long) capacity * SIZE);
    time = memory.part(Timespec.BYTES);
    errno = memory.part(Kernel.ERRNO_BYTES);
  }

  /// Creates an array in memory that is recycled after [#close]. The entries are undefined until
  /// they are set.
  ///
  /// @param capacity the number of entries, at least 1
  public static PollFds recycled(int capacity) {
    return new PollFds(capacity, CallMemory.recycled(bytes(capacity)));
  }

  private static long bytes(int capacity) {
    return (long) capacity * SIZE + 2L * Long.BYTES + Timespec.BYTES;
  }

  /// Returns the number of entries.
  public int capacity() {
    return capacity;
  }

  /// Returns a larger array with the same entries.
  public PollFds grow(int newCapacity) {
    PollFds grown = new PollFds(newCapacity);
    grown.segment.copyFrom(segment);
    return grown;
  }

  /// Sets an entry and clears its result.
  ///
  /// @param events a combination of `POLL` bits
  public void set(int index, int fd, int events) {
    long at = (long) index * SIZE;
    segment.set(JAVA_INT, at + FD, fd);
    segment.set(JAVA_SHORT, at + EVENTS, (short) events);
    segment.set(JAVA_SHORT, at + REVENTS, (short) 0);
  }

  /// Returns the descriptor of an entry.
  public int fd(int index) {
    return segment.get(JAVA_INT, (long) index * SIZE + FD);
  }

  /// Returns the `POLL` bits for which an entry is polled.
  public int events(int index) {
    return segment.get(JAVA_SHORT, (long) index * SIZE + EVENTS) & 0xffff;
  }

  /// Returns the `POLL` bits that were reported by the last [#poll].
  public int revents(int index) {
    return segment.get(JAVA_SHORT, (long) index * SIZE + REVENTS) & 0xffff;
  }

  /// Waits until at least one of the first `count` entries is ready.
  ///
  /// @param timeoutNanos the timeout; 0 returns immediately, and a negative value waits
  ///   indefinitely
  /// @return the number of entries that have a result, or -EINTR, …
  public int poll(int count, long timeoutNanos) {
    Objects.checkFromIndexSize(0, count, capacity);
    memory.beginCall();
    try {
      return call(count, timeoutNanos);
    } finally {
      memory.endCall();
    }
  }

  private int call(int count, long timeoutNanos) {
    long limit = 0;
    if (timeoutNanos >= 0) {
      time.set(JAVA_LONG, Timespec.TV_SEC, TimeUnit.NANOSECONDS.toSeconds(timeoutNanos));
      time.set(JAVA_LONG, Timespec.TV_NSEC, timeoutNanos % 1_000_000_000L);
      limit = time.address();
    }
    return (int) Kernel.call(errno, SystemCall.PPOLL, segment.address(), count, limit, 0, 0, 0);
  }

  /// Releases the memory. Every later use throws [IllegalStateException]. This method is
  /// idempotent.
  ///
  /// @throws IllegalStateException if a thread is currently polling
  @Override
  public void close() {
    if (memory.close()) {
      segment = CallMemory.ENDED;
      time = CallMemory.ENDED;
      errno = CallMemory.ENDED;
    }
  }
}
