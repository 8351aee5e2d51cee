package sluice.memory.block;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// A range of native bytes that exists as long as there is a lease of it.
///
/// A lease is a reference count. Java code that keeps a block holds one; **every device operation
/// in flight holds one** (a receive armed into it, a send from it), because the kernel continues to
/// use the bytes after the system call has returned. The bytes are freed or reused when the last
/// lease ends, and not before.
///
/// A block with leases of several holders is a snapshot and is not written any more. A writer calls
/// [#writable], which copies the block if there are other holders.
///
/// Code with access to this class reaches memory that cannot be revoked: the package is exported
/// only to the trusted modules. All other code gets a `Memory` or a `View`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | leases, and whether it is offered | any holder | volatile; plain by a sole holder | getAndAdd, compareAndExchange; see also [PooledBlock] |
///
/// Lifecycle: allocated with one lease → leased and released by any thread → freed at zero, once.
public class Block {
  static final VarHandle LEASES;

  /// Added to the lease count of a block that a pool offers ([PooledBlock]).
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

  /// Creates a block on memory that the subclass owns, with `leases` leases at first.
  protected Block(MemorySegment segment, int leases) {
    this.segment = segment;
    this.leases = leases;
  }

  /// Allocates zeroed memory with one lease for the caller. It is aligned to a cache line, for fast
  /// copies.
  ///
  /// @return null if the account has no room
  public static @Nullable Block allocate(Budget account, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    if (!account.tryCharge(bytes)) {
      return null;
    }
    return HeapBlock.of(account, bytes);
  }

  /// Returns a part of this block. It holds a lease of this block until its own last lease ends.
  ///
  /// @throws IndexOutOfBoundsException if the range is not inside of the block
  public final Block slice(long offset, long bytes) {
    return new SliceBlock(segment.asSlice(offset, bytes), lease(), offset);
  }

  /// Returns the bytes, for devices. Valid while the caller holds a lease.
  public final MemorySegment segment() {
    return segment;
  }

  public final long lengthBytes() {
    return segment.byteSize();
  }

  /// Returns the region that contains the bytes, or null if there is none.
  public @Nullable Region region() {
    return null;
  }

  /// Returns the offset of the bytes in [#region].
  public long regionOffset() {
    return 0;
  }

  /// Returns the memory file that contains the bytes, for `sendfile(2)` from [#regionOffset]; -1 if
  /// there is none. Bytes that were sent this way must never be written again ([Region]).
  public final int fileDescriptor() {
    Region in = region();
    return in == null ? -1 : in.fileDescriptor();
  }

  /// Returns the current number of leases. A caller that holds a lease and reads 1 is the sole
  /// holder and remains so.
  public final int leases() {
    int now = (int) LEASES.getVolatile(this);
    return now > 0 ? now & (OFFERED - 1) : now;
  }

  /// Adds a lease. Only a holder may call this.
  ///
  /// @throws IllegalStateException if the block has no lease any more
  public final Block lease() {
    if (!addLease()) {
      throw new IllegalStateException("lease on a block that was already freed, or is claimed");
    }
    return this;
  }

  /// Ends a lease. The last one frees the bytes.
  ///
  /// @throws IllegalStateException if the block had no lease
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

  /// Returns a block with the same bytes that only the caller holds: this block, or a copy of it. A
  /// copy ends the caller's lease of this block.
  ///
  /// @return null if the account has no room for the copy; the caller keeps its lease then
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

  /// Adds a lease if there is one already and the block is not claimed.
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

  /// Frees the bytes. Called once, by the thread that ended the last lease.
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
    /// The size of a cache line. The C heap aligns to 16 bytes only, but a copy of 4 KB to an
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
