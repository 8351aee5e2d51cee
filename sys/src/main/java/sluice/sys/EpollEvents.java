package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import sluice.sys.call.Arch;
import sluice.sys.call.CallMemory;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.Timespec;

/// An array of `struct epoll_event` that is filled by [Epoll#await] and can be read without
/// allocation.
///
/// Instances are confined to the thread that waits. The structure is packed on x86-64 but not on
/// aarch64, so its members are read unaligned.
///
/// ```
///  byte 0        4        8         12       16
///      +--------+-----------------+
///      | events |      data       |            x86-64
///      +--------+--------+--------+--------+
///      | events |   -    |      data       |   aarch64
///      +--------+--------+-----------------+
/// ```
///
/// ```c
/// struct epoll_event { __poll_t events; __u64 data; } EPOLL_PACKED;
/// ```
public final class EpollEvents implements AutoCloseable {
  static final Layout LAYOUT = layout(Arch.current());
  static final int EVENTS = offset(LAYOUT, "events");
  static final int DATA = offset(LAYOUT, "data");
  static final int SIZE = LAYOUT.sizeBytes();

  private final CallMemory memory;
  private final int capacity;
  private MemorySegment segment;
  private MemorySegment errno;
  private MemorySegment time;

  /// Creates an array in memory that is freed by the garbage collector.
  ///
  /// @param capacity the maximum number of events per wait, at least 1
  public EpollEvents(int capacity) {
    this(capacity, CallMemory.collected(bytes(capacity)));
  }

  private EpollEvents(int capacity, CallMemory memory) {
    this.capacity = capacity;
    this.memory = memory;
    segment = memory.part((long) capacity * SIZE);
    errno = memory.part(Kernel.ERRNO_BYTES);
    time = memory.part(Timespec.BYTES);
  }

  /// Creates an array in memory that is recycled after [#close].
  ///
  /// @param capacity the maximum number of events per wait, at least 1
  public static EpollEvents recycled(int capacity) {
    return new EpollEvents(capacity, CallMemory.recycled(bytes(capacity)));
  }

  private static long bytes(int capacity) {
    return (long) capacity * SIZE + 2L * Long.BYTES + Timespec.BYTES;
  }

  static Layout layout(Arch arch) {
    Layout layout =
        arch == Arch.X86_64 ? Layout.packed("struct epoll_event") : Layout.of("struct epoll_event");
    layout.u32("events");
    layout.u64("data");
    return layout;
  }

  private static int offset(Layout layout, String member) {
    for (Layout.Member each : layout.members()) {
      if (each.name().equals(member)) {
        return each.offset();
      }
    }
    throw new AssertionError(member);
  }

  /// Returns the maximum number of events per wait.
  public int capacity() {
    return capacity;
  }

  /// Returns the `EPOLL` bits of an event.
  ///
  /// @param index an index that is less than the result of [Epoll#await]
  public int events(int index) {
    return segment.get(JAVA_INT_UNALIGNED, (long) index * SIZE + EVENTS);
  }

  /// Returns the data with which the descriptor was added.
  public long data(int index) {
    return segment.get(JAVA_LONG_UNALIGNED, (long) index * SIZE + DATA);
  }

  MemorySegment segment() {
    return segment;
  }

  /// Stores a timeout. Returns the address of its `struct __kernel_timespec`.
  long time(long nanos) {
    time.set(JAVA_LONG, Timespec.TV_SEC, TimeUnit.NANOSECONDS.toSeconds(nanos));
    time.set(JAVA_LONG, Timespec.TV_NSEC, nanos % 1_000_000_000L);
    return time.address();
  }

  MemorySegment errno() {
    return errno;
  }

  CallMemory memory() {
    return memory;
  }

  /// Releases the memory. Every later use throws [IllegalStateException]. This method is
  /// idempotent.
  ///
  /// @throws IllegalStateException if a thread is currently waiting with this array
  @Override
  public void close() {
    if (memory.close()) {
      segment = CallMemory.ENDED;
      errno = CallMemory.ENDED;
      time = CallMemory.ENDED;
    }
  }
}
