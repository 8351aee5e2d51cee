package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import sluice.sys.call.CallMemory;

/// The completion queue of an [IoUring], which is a cursor over entries in memory that is shared
/// with the kernel.
///
/// Instances are confined to the thread that owns the ring. The owner reads the [#available]
/// entries by index, beginning with 0, and then calls [#advance]. Nothing is copied or allocated.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | kernel `cq.tail` | kernel | acquire: entries before it are complete | release |
/// | kernel `cq.head` | owner | acquire, by the kernel | release: entries before it are free |
/// | `head` | owner | plain | plain |
/// | entries | kernel | plain, after `tail` | plain |
/// | kernel `cq.overflow` | kernel | opaque | |
///
/// The capacity is the number of entries with which the ring was opened. If all entries are in use,
/// the kernel keeps further completions in its own memory and delivers them later. Completions are
/// lost, and counted in [#overflow], only if the kernel has no memory available either.
public final class CompletionQueue {
  private static final VarHandle INT = JAVA_INT.varHandle();

  private MemorySegment ring;
  private final long headOffset;
  private final long tailOffset;
  private final long overflowOffset;
  private final long entriesOffset;
  private final int mask;
  private int head;

  CompletionQueue(MemorySegment ring, IoUringParams params) {
    this.ring = ring;
    headOffset = params.cqOffset(IoUringParams.CQ_HEAD);
    tailOffset = params.cqOffset(IoUringParams.CQ_TAIL);
    overflowOffset = params.cqOffset(IoUringParams.CQ_OVERFLOW);
    entriesOffset = params.cqOffset(IoUringParams.CQ_CQES);
    mask = params.cqEntries() - 1;
    head = ring.get(JAVA_INT, headOffset);
  }

  /// Disables the queue when the ring is closed. From now on, every method throws
  /// [IllegalStateException].
  void end() {
    ring = CallMemory.ENDED;
  }

  /// Returns the number of completions that are ready.
  public int available() {
    return (int) INT.getAcquire(ring, tailOffset) - head;
  }

  /// Returns the user data with which the operation was staged.
  ///
  /// @param index an index from 0 to [#available] - 1
  public long userData(int index) {
    return ring.get(JAVA_LONG, entry(index) + Cqe.USER_DATA);
  }

  /// Returns the result of the operation, or a negative errno.
  public int result(int index) {
    return ring.get(JAVA_INT, entry(index) + Cqe.RES);
  }

  /// Returns the flags of the completion, which are bits of [Cqe].
  public int flags(int index) {
    return ring.get(JAVA_INT, entry(index) + Cqe.FLAGS);
  }

  /// Returns `count` entries to the kernel.
  public void advance(int count) {
    head += count;
    INT.setRelease(ring, headOffset, head);
  }

  /// Returns the number of completions that were lost because neither the queue nor the kernel had
  /// room for them. The number is 0 in a healthy process.
  public int overflow() {
    return (int) INT.getOpaque(ring, overflowOffset);
  }

  /// Returns the number of entries.
  public int capacity() {
    return mask + 1;
  }

  private long entry(int index) {
    return entriesOffset + (long) ((head + index) & mask) * Cqe.SIZE;
  }
}
