package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// A run of native bytes that lives as long as there is a lease on it.
///
/// A lease is one count. Java code that keeps a block holds one; **every device operation in flight
/// holds one** (a receive armed into it, a send from it), because the kernel goes on using the
/// bytes after the system call has returned. The bytes are freed or reused when the last lease
/// goes, and not before.
///
/// A block that more than one party leases is a snapshot: it is not written any more. A writer asks
/// for [#writable], which copies when there are other holders.
///
/// A pool whose blocks are found by threads that do not hold them offers those that may be found: a
/// block that was withdrawn belongs to its holders alone; threads that have found it before get no
/// lease.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | leases, and whether it is offered | any holder | volatile; plain by a sole holder | getAndAdd; compareAndExchange in a pool |
///
/// Lifecycle: allocated with one lease → leased and released by any thread → freed at zero, once.
public class Block {
  private static final VarHandle LEASES;
  private static final int CLAIMED = Integer.MIN_VALUE / 2;

  /// Added to the leases of a block that a pool offers.
  private static final int OFFERED = 1 << 24;

  static {
    try {
      LEASES = MethodHandles.lookup().findVarHandle(Block.class, "leases", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySegment segment;

  @SuppressWarnings("unused") // through LEASES
  private int leases;

  /// For pools: a block over memory that the subclass owns, at first with `leases` leases.
  protected Block(MemorySegment segment, int leases) {
    this.segment = segment;
    this.leases = leases;
  }

  /// Allocates zeroed memory with one lease, the caller's. It begins with a cache line, so that it
  /// is copied to at full speed.
  ///
  /// @return null when the account has no room
  public static @Nullable Block allocate(Account account, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    if (!account.tryCharge(bytes)) {
      return null;
    }
    return HeapBlock.of(account, bytes);
  }

  /// A part of this block that lives on its own: it holds a lease on this one until its own last
  /// lease ends.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public final Block slice(long offset, long bytes) {
    return new SliceBlock(segment.asSlice(offset, bytes), lease());
  }

  /// The bytes. Valid while the caller holds a lease; this is what devices are given.
  public final MemorySegment segment() {
    return segment;
  }

  public final long lengthBytes() {
    return segment.byteSize();
  }

  /// The memory file that the bytes are in, for `sendfile(2)`; -1 when they are in none. Bytes that
  /// were sent so must never be written again ([MemoryFile]).
  public int fileDescriptor() {
    return -1;
  }

  /// Where in the file of [#fileDescriptor] the bytes begin.
  public long filePosition() {
    return 0;
  }

  /// Number of leases now. A caller that holds one and reads 1 is the sole holder and stays it.
  public final int leases() {
    int now = (int) LEASES.getVolatile(this);
    return now > 0 ? now & (OFFERED - 1) : now;
  }

  /// Adds a lease. Only a holder may.
  ///
  /// @throws IllegalStateException when the block has no lease any more
  public final Block lease() {
    if (!tryLease()) {
      throw new IllegalStateException("lease on a block that was already freed, or is claimed");
    }
    return this;
  }

  /// Ends one lease; the last one frees the bytes.
  ///
  /// @throws IllegalStateException when the block had no lease
  public final void release() {
    int before = (int) LEASES.getAndAdd(this, -1);
    if (before > 1 && before != OFFERED) {
      return;
    }
    if (before == 1) {
      free();
    } else {
      LEASES.getAndAdd(this, 1);
      throw new IllegalStateException("release of a block that was already freed");
    }
  }

  /// A block with the same bytes that only the caller holds: this one, or a copy of it. Ends the
  /// caller's lease on this block when it copies.
  ///
  /// @return null when the account has no room for the copy; the caller keeps its lease then
  public final @Nullable Block writable(Account account) {
    if (leases() == 1) {
      return this;
    }
    Block copy = allocate(account, lengthBytes());
    if (copy != null) {
      MemorySegment.copy(segment, 0, copy.segment, 0, lengthBytes());
      release();
    }
    return copy;
  }

  /// For pools, which find blocks without holding them: adds a lease if the block has one and is
  /// not claimed.
  ///
  /// @return false when it is free or claimed: nothing was added
  protected final boolean tryLease() {
    int now = (int) LEASES.getVolatile(this);
    while (now > 0) {
      int seen = (int) LEASES.compareAndExchange(this, now, now + 1);
      if (seen == now) {
        return true;
      }
      now = seen;
    }
    return false;
  }

  /// For pools: from now on a thread that finds the block may claim it while the only lease is the
  /// pool's. By a holder, not while it is claimed.
  protected final void offer() {
    int _ = (int) LEASES.getAndAdd(this, OFFERED);
  }

  /// For pools: from now on the block is claimed by [#tryClaimOwn] only, so a thread that found it
  /// before cannot disturb its holders. By a holder beside the pool, not while it is claimed.
  protected final void withdraw() {
    int _ = (int) LEASES.getAndAdd(this, -OFFERED);
  }

  /// For pools: gives an offered block to the caller alone, until [#unclaim]; a lease is refused
  /// meanwhile. So it may be written in place although other threads can find it.
  ///
  /// @return false when it is not offered, there are other holders, or it is claimed
  protected final boolean tryClaim() {
    return LEASES.compareAndSet(this, OFFERED + 1, CLAIMED);
  }

  /// As [#tryClaim], by the holder of a block that is not offered.
  protected final boolean tryClaimOwn() {
    return LEASES.compareAndSet(this, 1, CLAIMED);
  }

  /// For pools: ends a claim. One lease is there again.
  ///
  /// @param offered whether the block is offered from now on
  protected final void unclaim(boolean offered) {
    LEASES.setRelease(this, offered ? OFFERED + 1 : 1);
  }

  /// For pools: puts a free block into use again, with one lease.
  protected final void revive() {
    LEASES.setRelease(this, 1);
  }

  /// Called once, by whichever thread ended the last lease.
  protected void free() {}

  private static final class SliceBlock extends Block {
    private final Block parent;

    SliceBlock(MemorySegment segment, Block parent) {
      super(segment, 1);
      this.parent = parent;
    }

    @Override
    protected void free() {
      parent.release();
    }
  }

  private static final class HeapBlock extends Block {
    /// The C heap aligns to 16 bytes only; a copy of 4 KB to what is not aligned to this takes
    /// three times as long, because each store touches two lines.
    private static final int LINE_BYTES = 64;

    private final Account account;
    private final MemorySegment allocated;

    private HeapBlock(Account account, MemorySegment allocated, long offset, long bytes) {
      super(allocated.asSlice(offset, bytes), 1);
      this.account = account;
      this.allocated = allocated;
    }

    static HeapBlock of(Account account, long bytes) {
      MemorySegment allocated = NativeMemory.allocate(bytes + LINE_BYTES - 16);
      long offset = -allocated.address() & (LINE_BYTES - 1);
      return new HeapBlock(account, allocated, offset, bytes);
    }

    @Override
    protected void free() {
      NativeMemory.free(allocated);
      account.refund(lengthBytes());
    }
  }
}
