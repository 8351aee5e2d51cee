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
/// Revoking costs a handshake with all threads (33 to 45 µs): it is for hand-over and termination,
/// not for the hot path. Accesses cost what any bounded segment access costs.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 3.3: memory objects.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ended | whoever revokes or closes first | volatile | compareAndSet |
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

    Root(Block block, MemorySegment whole, boolean readOnly) {
      this.block = block;
      this.whole = whole;
      this.readOnly = readOnly;
    }
  }

  private final Root root;
  private final MemorySegment segment;

  private Memory(Root root, MemorySegment segment) {
    this.root = root;
    this.segment = segment;
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
    return new Memory(root, NativeMemory.alias(root.whole, root.lifetime));
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

  /// A part of this memory. Ends when this does.
  public Memory slice(long offset, long bytes) {
    return new Memory(root, segment.asSlice(offset, bytes));
  }

  /// The same bytes without the right to write. There is no way back.
  public Memory asReadOnly() {
    return new Memory(root, segment.asReadOnly());
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
  public Memory revoke() {
    end("revoked");
    Root fresh = new Root(root.block, root.whole, root.readOnly);
    return of(fresh);
  }

  /// Ends access, and the lease on the block. Idempotent.
  @Override
  public void close() {
    if (root.ended.compareAndSet(false, true)) {
      closeLifetime();
      root.block.release();
    }
  }

  /// The same bytes where nobody else sees a write: this memory, or a copy when anyone else holds
  /// the block. In the second case this reference is closed.
  ///
  /// @return null when the account has no room for the copy; this reference stays as it is then
  public @Nullable Memory writable(Account account) {
    if (isReadOnly()) {
      throw new UnsupportedOperationException("read-only memory never becomes writable");
    }
    if (root.block.leases() == 1) {
      return this;
    }
    Block copy = Block.allocate(account, lengthBytes());
    if (copy == null) {
      return null;
    }
    MemorySegment.copy(segment, 0, copy.segment(), 0, lengthBytes());
    Memory own = over(copy, 0, lengthBytes());
    copy.release();
    close();
    return own;
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
