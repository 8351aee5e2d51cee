package sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// A revocable reference to native bytes: what code outside a handler is given. Any thread may use
/// it until it is revoked.
///
/// [#revoke] ends every access through this reference and everything derived from it, at once and
/// for all threads: an access completes before the revocation or fails with
/// [IllegalStateException]. Only Java's access ends. The bytes belong to a [Block] and are freed or
/// reused when its last lease ends; a device that is still filling them, or sending from them,
/// holds one of its own.
///
/// The reference that [#over] or [#revoke] returned is the owner's. What [#slice] and [#asReadOnly]
/// make of it is lent: it ends with the owner's reference, cannot end that, and never reaches more
/// bytes or rights than it was lent.
///
/// Revoking costs a handshake with all threads (33 to 45 µs): it is for hand-over and termination,
/// not for the hot path. Accesses cost what any bounded segment access costs.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 3.3: memory objects.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ended | the thread that revokes or closes first | volatile | compareAndSet |
/// | lent | each thread that derives a reference | volatile | volatile |
///
/// Lifecycle: made over a block → sliced, made read-only → revoked or closed once.
public final class Memory implements AutoCloseable {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// What all references derived from one another share: they end together.
  private static final class Root {
    final Block block;
    final MemorySegment whole;
    final boolean readOnly;
    final Arena lifetime = Arena.ofShared();
    final AtomicBoolean ended = new AtomicBoolean();

    /// Whether a reference was ever derived from the owner's.
    volatile boolean lent;

    Root(Block block, MemorySegment whole, boolean readOnly) {
      this.block = block;
      this.whole = whole;
      this.readOnly = readOnly;
    }
  }

  private final Root root;
  private final MemorySegment segment;
  private final boolean owners;

  private Memory(Root root, MemorySegment segment, boolean owners) {
    this.root = root;
    this.segment = segment;
    this.owners = owners;
  }

  /// A reference to a part of a block. Takes a lease of its own.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public static Memory over(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return of(new Root(block.lease(), range, false));
  }

  /// As [#over], but nothing made from it can ever write.
  public static Memory readOnlyOver(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return of(new Root(block.lease(), range.asReadOnly(), true));
  }

  private static Memory of(Root root) {
    return new Memory(root, NativeMemory.alias(root.whole, root.lifetime), true);
  }

  public long lengthBytes() {
    return segment.byteSize();
  }

  public boolean isReadOnly() {
    return segment.isReadOnly();
  }

  /// Whether it can still be used.
  public boolean isLive() {
    return !root.ended.get();
  }

  /// A part of this memory, lent. Ends when this does.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public Memory slice(long offset, long bytes) {
    return lend(segment.asSlice(offset, bytes));
  }

  /// The same bytes without the right to write, lent. There is no way back. Ends when this does.
  public Memory asReadOnly() {
    return lend(segment.asReadOnly());
  }

  private Memory lend(MemorySegment part) {
    root.lent = true;
    return new Memory(root, part, false);
  }

  public byte get(long offset) {
    return segment.get(BYTE, offset);
  }

  /// Four bytes, little-endian.
  public int getInt(long offset) {
    return segment.get(INT, offset);
  }

  /// Eight bytes, little-endian.
  public long getLong(long offset) {
    return segment.get(LONG, offset);
  }

  public void set(long offset, byte value) {
    segment.set(BYTE, offset, value);
  }

  public void setInt(long offset, int value) {
    segment.set(INT, offset, value);
  }

  public void setLong(long offset, long value) {
    segment.set(LONG, offset, value);
  }

  public void copyTo(long from, byte[] target, int at, int count) {
    MemorySegment.copy(segment, BYTE, from, target, at, count);
  }

  public void copyFrom(byte[] source, int at, long to, int count) {
    MemorySegment.copy(source, at, segment, BYTE, to, count);
  }

  public void copyTo(long from, Memory target, long at, long count) {
    MemorySegment.copy(segment, from, target.segment, at, count);
  }

  /// Copies into a block that the caller may write.
  public void copyTo(long from, Block target, long at, long count) {
    MemorySegment.copy(segment, from, target.segment(), at, count);
  }

  /// Copies out of a block that the caller may read.
  public void copyFrom(Block source, long from, long at, long count) {
    MemorySegment.copy(source.segment(), from, segment, at, count);
  }

  /// Takes access away from everyone who holds this reference or one derived from it, and returns a
  /// fresh reference to all the bytes that only the caller has.
  ///
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when this reference was lent
  public Memory revoke() {
    if (!owners) {
      throw new UnsupportedOperationException(
          "a slice or a read-only reference cannot revoke the memory it was derived from."
              + " Why: that belongs to its owner, and may be larger or writable."
              + " Fix: call revoke() on the reference that Memory.over or revoke() returned.");
    }
    end("revoked");
    Root fresh = new Root(root.block, root.whole, root.readOnly);
    return of(fresh);
  }

  /// Ends access, and the lease on the block. Idempotent. Does nothing on a reference that was
  /// lent: that ends with its owner's.
  @Override
  public void close() {
    if (owners && root.ended.compareAndSet(false, true)) {
      closeLifetime();
      root.block.release();
    }
  }

  /// The same bytes where no other reference and no other holder of the block sees a write.
  ///
  /// The owner's reference is that itself when its lease is the only one and nothing was derived
  /// from it; when something was, it is revoked and the fresh reference comes back. When the block
  /// has other holders, a copy comes back and this reference is closed. Of a slice a copy comes
  /// back in any case, and the slice stays as it is. Threads that share this very reference share
  /// what it writes.
  ///
  /// @return null when the account has no room for the copy; this reference stays as it is then
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when it is read-only
  public @Nullable Memory writable(Account account) {
    if (isReadOnly()) {
      throw new UnsupportedOperationException("read-only memory never becomes writable");
    }
    if (!isLive()) {
      throw new IllegalStateException("this memory cannot be made writable: it has ended before");
    }
    if (owners && root.block.leases() == 1) {
      return root.lent ? revoke() : this;
    }
    Block copy = Block.allocate(account, lengthBytes());
    if (copy == null) {
      return null;
    }
    try {
      MemorySegment.copy(segment, 0, copy.segment(), 0, lengthBytes());
      Memory own = over(copy, 0, lengthBytes());
      close();
      return own;
    } finally {
      copy.release(); // also when this memory ended during the copy
    }
  }

  private void end(String how) {
    if (!root.ended.compareAndSet(false, true)) {
      throw new IllegalStateException("this memory cannot be " + how + ": it has ended before");
    }
    closeLifetime();
  }

  /// Waits out calls that are using the memory at this moment; they are short.
  private void closeLifetime() {
    while (true) {
      try {
        root.lifetime.close();
        return;
      } catch (IllegalStateException inUse) {
        if (!root.lifetime.scope().isAlive()) {
          throw inUse;
        }
        Thread.onSpinWait();
      }
    }
  }
}
