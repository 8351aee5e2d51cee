package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import sluice.sys.call.CallMemory;

/// The completion queue of an [IoUring]: a cursor over entries in memory shared with the kernel.
///
/// Confined to the ring's owner thread. The owner reads the [#available] entries by index from 0,
/// then calls [#advance]. Nothing is copied or allocated.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | kernel `cq.tail` | kernel | acquire: entries before it are complete | release |
/// | kernel `cq.head` | owner | acquire, by the kernel | release: entries before it are free |
/// | `head` | owner | plain | plain |
/// | entries | kernel | plain, after `tail` | plain |
/// | kernel `cq.overflow` | kernel | opaque | |
///
/// Limits: the number of entries with which the ring was opened. When all are in use, the kernel
/// keeps further completions in its own memory and delivers them later. Completions are lost, and
/// counted in [#overflow], only if the kernel has no memory either.
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

  /// Ends the queue because the ring is closed. Every method throws [IllegalStateException] from
  /// now on.
  void end() {
    ring = CallMemory.ENDED;
  }

  /// Returns the number of completions that are ready.
  public int available() {
    return (int) INT.getAcquire(ring, tailOffset) - head;
  }

  /// Returns the user data with which the operation was staged.
  ///
  /// @param index from 0 to [#available] - 1
  public long userData(int index) {
    return ring.get(JAVA_LONG, entry(index) + Cqe.USER_DATA);
  }

  /// Returns the operation's result, or a negative errno.
  public int result(int index) {
    return ring.get(JAVA_INT, entry(index) + Cqe.RES);
  }

  /// Returns the flags: bits of [Cqe].
  public int flags(int index) {
    return ring.get(JAVA_INT, entry(index) + Cqe.FLAGS);
  }

  /// Returns `count` entries to the kernel.
  public void advance(int count) {
    head += count;
    INT.setRelease(ring, headOffset, head);
  }

  /// Returns the number of completions lost because neither the queue nor the kernel had room; 0 in
  /// a healthy process.
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
