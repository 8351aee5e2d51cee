package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A revocable reference to native memory, for code that does not run in a handler. Any thread may
/// use a reference until it is revoked.
///
/// After a revocation, every access through the reference, or through any reference derived from
/// it, throws [IllegalStateException] on all threads. The methods differ in the time at which the
/// revocation takes effect:
///
/// | | earlier references fail | cost |
/// |---|---|---|
/// | [#revokeNow] | before it returns, and the caller gets a fresh reference | a handshake with all threads, 33 to 45 µs |
/// | [#revoke], [#close] of memory from [#over] | before it returns | the same |
/// | [#revoke], [#close] of memory from [#lend] | about 0.65 ms later, or with the 256th of a batch | 0.5 µs, or 0.9 µs if there are 200 other threads |
///
/// Until a batched revocation is complete, a previous holder may still access the bytes that were
/// lent to it. The lease of the block is not released before then, so the bytes cannot have another
/// owner in the meantime. A caller that continues to use the bytes itself must call [#revokeNow]
/// instead.
///
/// Revocation only affects accesses by Java code. The bytes belong to a [Block] and are freed or
/// reused when its last lease is released. A device that is still receiving into them or sending
/// from them holds a lease of its own.
///
/// A part ([#slice], [#asReadOnly]) has fewer rights than the whole: it cannot revoke the whole,
/// and a read-only part can never be made writable. A part that was created by [#lendPart] can be
/// revoked separately, without affecting the whole. An access costs the same as an access to a
/// bounded segment.
///
/// The design follows section 2.3, memory objects, of Golm et al., "The JX Operating System",
/// USENIX 2002.
///
/// In addition to revocable memory ([#over], [#lend]), there are other kinds that support the same
/// accesses:
///
/// | kind | property | ends |
/// |---|---|---|
/// | [#give] | cannot be revoked | when it becomes unreachable |
/// | [#scattered] | presents several memories as one contiguous memory | range by range, when the underlying memories end |
/// | [#copyOnWrite] | the first write creates a private copy | like [#over] |
///
/// Lifecycle: created on a block → sliced, made read-only → revoked or closed once.
public abstract sealed class Memory implements AutoCloseable
    permits RangeMemory, ScatteredMemory, CopyOnWriteMemory {
  Memory() {}

  /// Returns a reference to the given range of a block. The reference holds its own lease.
  ///
  /// @throws IndexOutOfBoundsException if the range is not within the block
  public static Memory over(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return MemoryRoot.alone(block.lease(), range);
  }

  /// Returns a read-only reference to the given range of a block. In all other respects, this
  /// method behaves like [#over].
  public static Memory readOnlyOver(Block block, long offset, long bytes) {
    return MemoryRoot.readOnly(block, offset, bytes);
  }

  /// Returns a reference that is lent for a short time. Its revocation is batched with the
  /// revocation of other lent memory. The reference keeps all parts that were created from it
  /// reachable until it ends. In all other respects, this method behaves like [#over].
  ///
  /// @throws IndexOutOfBoundsException if the range is not within the block
  public static Memory lend(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return Cohort.join(block.lease(), range);
  }

  /// Returns a read-only reference that is lent for a short time. In all other respects, this
  /// method behaves like [#lend].
  public static Memory lendReadOnly(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return Cohort.join(block.lease(), range);
  }

  /// Returns a reference that is never revoked, so that an access can fail only if it is out of
  /// bounds. The garbage collector releases its lease, and thereby refunds the account, some time
  /// after the reference and all of its parts have become unreachable. [#close] has no effect.
  ///
  /// @throws IndexOutOfBoundsException if the range is not within the block
  public static Memory give(Block block, long offset, long bytes) {
    return MemoryRoot.given(block, block.segment().asSlice(offset, bytes));
  }

  /// Returns a read-only reference that is never revoked. In all other respects, this method
  /// behaves like [#give].
  public static Memory giveReadOnly(Block block, long offset, long bytes) {
    return MemoryRoot.given(block, block.segment().asSlice(offset, bytes).asReadOnly());
  }

  /// Returns a memory that presents the given memories as one contiguous memory, which is read-only
  /// if any of them is read-only. The result is a part of each of them: it cannot revoke them, and
  /// when one of them ends, the corresponding range becomes inaccessible. An access that spans
  /// several of them is performed as several accesses.
  ///
  /// @param pieces at least one and at most 1024 memories
  public static Memory scattered(List<Memory> pieces) {
    return ScatteredMemory.of(pieces);
  }

  /// Returns a reference that can be written without changing the block. The first write copies the
  /// whole range, and all users of this reference or of its parts see the copy from then on. Until
  /// then, the reference holds a lease of the block. A block that has several leases is a snapshot,
  /// so its bytes do not change before the copy is created.
  ///
  /// @param account the account that is charged for the copy immediately, so that no write can fail
  ///   because of insufficient room
  /// @return null if the account does not have enough room
  /// @throws IndexOutOfBoundsException if the range is not within the block
  public static @Nullable Memory copyOnWrite(
      Block block, long offset, long bytes, Account account) {
    return CopyOnWriteMemory.of(block, offset, bytes, account);
  }

  public abstract long lengthBytes();

  public abstract boolean isReadOnly();

  /// Returns true if this memory has not been revoked or closed.
  public abstract boolean isLive();

  /// Returns a part of this memory, which ends together with the whole.
  public abstract Memory slice(long offset, long bytes);

  /// Returns a part that can be revoked separately, for example after a call. Like memory that was
  /// created by [#lend], it holds its own lease. It ends no later than this memory. Copy-on-write
  /// memory creates its copy first.
  ///
  /// @throws IllegalStateException if this memory was revoked or closed
  /// @throws IndexOutOfBoundsException if the range is not within this memory
  public abstract Memory lendPart(long offset, long bytes);

  /// Returns a read-only reference to the same bytes, which cannot be made writable again.
  public abstract Memory asReadOnly();

  /// Returns the byte at the given offset.
  public abstract byte get(long offset);

  /// Returns the four bytes at the given offset as a little-endian integer.
  public abstract int getInt(long offset);

  /// Returns the eight bytes at the given offset as a little-endian integer.
  public abstract long getLong(long offset);

  public abstract void set(long offset, byte value);

  public abstract void setInt(long offset, int value);

  public abstract void setLong(long offset, long value);

  public abstract void copyTo(long from, byte[] target, int at, int count);

  public abstract void copyFrom(byte[] source, int at, long to, int count);

  public abstract void copyTo(long from, Memory target, long at, long count);

  /// Copies bytes from this memory to a block that the caller is permitted to write.
  public abstract void copyTo(long from, Block target, long at, long count);

  /// Copies bytes to this memory from a block that the caller is permitted to read.
  public abstract void copyFrom(Block source, long from, long at, long count);

  /// Revokes this reference and all references derived from it immediately. Every concurrent access
  /// either completes before this method returns, or fails. Returns a new reference to the same
  /// bytes, which is held only by the caller.
  ///
  /// @throws IllegalStateException if this memory was already revoked or closed
  /// @throws UnsupportedOperationException if this is a part
  public abstract Memory revokeNow();

  /// Revokes this reference and all references derived from it, and releases the lease of the
  /// block. Lent memory is revoked in a batch a short time later, as described in the class
  /// comment.
  ///
  /// @throws IllegalStateException if this memory was already revoked or closed
  /// @throws UnsupportedOperationException if this is a part
  public abstract void revoke();

  /// Revokes this memory like [#revoke], except that this method is idempotent. It has no effect on
  /// a part, because a part ends together with the whole.
  @Override
  public abstract void close();

  /// Returns a reference to the same bytes whose writes are not visible through any other reference
  /// or to any other holder of the block.
  ///
  /// If this is a whole memory that has the only lease of the block and no parts, it is returned
  /// itself. If it has parts, it is revoked immediately and a new reference is returned. If the
  /// block has other holders, a copy is returned and this reference is closed. If this is a part, a
  /// copy is always returned and the whole is not changed. Threads that share the returned
  /// reference see each other's writes.
  ///
  /// @return null if the account does not have enough room for the copy, in which case this
  ///   reference is not changed
  /// @throws IllegalStateException if this memory was already revoked or closed
  /// @throws UnsupportedOperationException if this memory is read-only
  public abstract @Nullable Memory writable(Account account);

  /// Copies bytes from a memory that consists of a single range.
  abstract void copyFrom(RangeMemory source, long from, long at, long count);

  /// Checks that a memory is not a part.
  ///
  /// @throws UnsupportedOperationException if it is a part
  static void checkWhole(boolean part) {
    if (part) {
      throw new UnsupportedOperationException(
          "a slice or a read-only reference cannot revoke the memory it was made of."
              + " Why: that belongs to its owner, and may be larger or writable."
              + " Fix: revoke the reference that Memory.over, lend or revokeNow returned.");
    }
  }

  final void checkWritable() {
    if (isReadOnly()) {
      throw new UnsupportedOperationException("read-only memory never becomes writable");
    }
  }

  /// Returns a copy of the bytes and closes this reference.
  ///
  /// @return null if the account does not have enough room, in which case nothing is changed
  final @Nullable Memory copyInstead(Account account) {
    Block copy = Block.allocate(account, lengthBytes());
    if (copy == null) {
      return null;
    }
    try {
      copyTo(0, copy, 0, lengthBytes());
    } catch (IllegalStateException revoked) {
      copy.release();
      throw revoked;
    }
    Memory own = over(copy, 0, lengthBytes());
    copy.release();
    close();
    return own;
  }
}
