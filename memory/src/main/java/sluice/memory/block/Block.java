package sluice.memory.block;

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
/// Code that names this class reaches memory that is not taken back from it: the package is
/// exported to the trusted modules alone. All other code is given a `Memory` or a `View`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | leases, and whether it is offered | any holder | volatile; plain by a sole holder | getAndAdd, compareAndExchange; see also [PooledBlock] |
///
/// Lifecycle: allocated with one lease → leased and released by any thread → freed at zero, once.
public class Block {
  static final VarHandle LEASES;

  /// Added to the leases of a block that a pool offers ([PooledBlock]).
  static final int OFFERED = 1 << 24;

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

  /// A block over memory that the subclass owns, at first with `leases` leases.
  protected Block(MemorySegment segment, int leases) {
    this.segment = segment;
    this.leases = leases;
  }

  /// Allocates zeroed memory with one lease, the caller's. It begins with a cache line, so that it
  /// is copied to at full speed.
  ///
  /// @return null when the account has no room
  public static @Nullable Block allocate(Budget account, long bytes) {
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
    return new SliceBlock(segment.asSlice(offset, bytes), lease(), offset);
  }

  /// The bytes. Valid while the caller holds a lease; this is what devices are given.
  public final MemorySegment segment() {
    return segment;
  }

  public final long lengthBytes() {
    return segment.byteSize();
  }

  /// The region that the bytes are in; null when they are in none.
  public @Nullable Region region() {
    return null;
  }

  /// Where in [#region] the bytes begin.
  public long regionOffset() {
    return 0;
  }

  /// The memory file that the bytes are in, for `sendfile(2)` from [#regionOffset]; -1 when they
  /// are in none. Bytes that were sent so must never be written again ([Region]).
  public final int fileDescriptor() {
    Region in = region();
    return in == null ? -1 : in.fileDescriptor();
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
    if (!addLease()) {
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
  public final @Nullable Block writable(Budget account) {
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

  /// Adds a lease if there is one, and the block is not claimed.
  final boolean addLease() {
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

  /// Called once, by whichever thread ended the last lease.
  protected void free() {}

  private static final class SliceBlock extends Block {
    private final Block parent;
    private final long offset;

    SliceBlock(MemorySegment segment, Block parent, long offset) {
      super(segment, 1);
      this.parent = parent;
      this.offset = offset;
    }

    @Override
    public @Nullable Region region() {
      return parent.region();
    }

    @Override
    public long regionOffset() {
      return parent.regionOffset() + offset;
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

    private final Budget account;
    private final MemorySegment allocated;

    private HeapBlock(Budget account, MemorySegment allocated, long offset, long bytes) {
      super(allocated.asSlice(offset, bytes), 1);
      this.account = account;
      this.allocated = allocated;
    }

    static HeapBlock of(Budget account, long bytes) {
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
