package sluice.memory.block;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// A range of native memory that exists for as long as at least one lease is held.
///
/// Leases are reference counts. Java code that retains a block holds a lease, and **so does every
/// device operation in flight**, such as a receive into the block or a send from it, because the
/// kernel continues to use the bytes after the system call has returned. The bytes are freed or
/// reused when the last lease is released, and never earlier.
///
/// A block on which several holders have leases is a snapshot and must not be written any more. A
/// writer calls [#writable], which copies the block if there are other holders.
///
/// Code that has access to this class can reach memory that cannot be revoked. Therefore the
/// package is exported only to the trusted modules, and all other code uses `Memory` or `View`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | leases, and whether it is offered | any holder | volatile; plain by a sole holder | getAndAdd, compareAndExchange; see also [PooledBlock] |
///
/// Lifecycle: allocated with one lease → leased and released by any thread → freed at zero, once.
public class Block {
  static final VarHandle LEASES;

  /// The value that is added to the lease count of a block while its pool offers it
  /// ([PooledBlock]).
  static final int OFFERED = 1 << 24;

  static {
    try {
      LEASES = MethodHandles.lookup().findVarHandle(Block.class, "leases", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySegment segment;

  @SuppressWarnings("unused") // accessed through LEASES
  private int leases;

  /// Creates a block on memory that the subclass owns. The block initially has the given number of
  /// leases.
  protected Block(MemorySegment segment, int leases) {
    this.segment = segment;
    this.leases = leases;
  }

  /// Allocates zeroed memory with one lease, which is held by the caller. The memory is aligned to
  /// a cache line so that copies are fast.
  ///
  /// @return null if the account does not have enough room
  public static @Nullable Block allocate(Budget account, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    if (!account.tryCharge(bytes)) {
      return null;
    }
    return HeapBlock.of(account, bytes);
  }

  /// Returns a part of this block. The part holds a lease of this block until its own last lease is
  /// released.
  ///
  /// @throws IndexOutOfBoundsException if the range is not within the block
  public final Block slice(long offset, long bytes) {
    return new SliceBlock(segment.asSlice(offset, bytes), lease(), offset);
  }

  /// Returns the memory of this block for use by devices. The segment is valid for as long as the
  /// caller holds a lease.
  public final MemorySegment segment() {
    return segment;
  }

  public final long lengthBytes() {
    return segment.byteSize();
  }

  /// Returns the region that contains this block, or null if it was not allocated from a region.
  public @Nullable Region region() {
    return null;
  }

  /// Returns the offset of this block in its [#region].
  public long regionOffset() {
    return 0;
  }

  /// Returns the descriptor of the memory file that contains this block, for use with `sendfile(2)`
  /// from [#regionOffset], or -1 if there is none. Bytes that were sent in this way must never be
  /// written again (see [Region]).
  public final int fileDescriptor() {
    Region in = region();
    return in == null ? -1 : in.fileDescriptor();
  }

  /// Returns the current number of leases. If a caller that holds a lease reads 1, it is the sole
  /// holder and remains so.
  public final int leases() {
    int now = (int) LEASES.getVolatile(this);
    return now > 0 ? now & (OFFERED - 1) : now;
  }

  /// Acquires another lease. Only a caller that already holds a lease may call this method.
  ///
  /// @throws IllegalStateException if the block has no leases left
  public final Block lease() {
    if (!addLease()) {
      throw new IllegalStateException("lease on a block that was already freed, or is claimed");
    }
    return this;
  }

  /// Releases a lease. The memory is freed when the last lease is released.
  ///
  /// @throws IllegalStateException if the block has no leases
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

  /// Returns a block with the same bytes that is held only by the caller, which is either this
  /// block or a copy of it. If a copy is returned, the caller's lease of this block is released.
  ///
  /// @return null if the account does not have enough room for the copy, in which case the caller
  ///   keeps its lease
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

  /// Acquires a lease if the block already has one and is not claimed.
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

  /// Frees the memory. Called once, by the thread that released the last lease.
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
    /// The size of a cache line. The C heap aligns memory only to 16 bytes, but copying 4 KB to an
    /// address that is not aligned to a cache line takes three times as long, because each store
    /// touches two lines.
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
