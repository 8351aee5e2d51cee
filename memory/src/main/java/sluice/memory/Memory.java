package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A revocable reference to native bytes, for code outside of a handler. Any thread may use it
/// until it is revoked.
///
/// Revocation ends every access through a reference and through all references derived from it, for
/// all threads, with [IllegalStateException]. There are two kinds:
///
/// | | earlier references fail | cost |
/// |---|---|---|
/// | [#revokeNow] | before it returns, and the caller gets a fresh reference | a handshake with all threads, 33 to 45 µs |
/// | [#revoke], [#close] of memory from [#over] | before it returns | the same |
/// | [#revoke], [#close] of memory from [#lend] | about 0.65 ms later, or with the 256th of a batch | 0.5 µs, 0.9 µs beside 200 threads |
///
/// Until a batched revocation is complete, an earlier holder may still use the bytes that were lent
/// to it. The lease of the block ends afterwards, so no other owner has them meanwhile. A caller
/// that continues to use the bytes itself must call [#revokeNow].
///
/// Revocation ends only accesses by Java code. The bytes belong to a [Block] and are freed or
/// reused when its last lease ends; a device that still receives into them or sends from them holds
/// a lease of its own.
///
/// A part ([#slice], [#asReadOnly]) can do less than the whole: it cannot revoke the whole, and a
/// read-only part never becomes writable. A part from [#lendPart] can be revoked alone, without
/// affecting the whole. An access costs the same as one of a bounded segment.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.3: memory objects.
///
/// Besides revocable memory ([#over], [#lend]) there are other kinds, with the same accesses:
///
/// | kind | property | ends |
/// |---|---|---|
/// | [#give] | cannot be revoked | when it is not referenced any more |
/// | [#scattered] | several memories in a row, as one | piece by piece, with its pieces |
/// | [#copyOnWrite] | the first write makes a private copy | as [#over] |
///
/// Lifecycle: created on a block → sliced, made read-only → revoked or closed once.
public abstract sealed class Memory implements AutoCloseable
    permits RangeMemory, ScatteredMemory, CopyOnWriteMemory {
  Memory() {}

  /// Returns a reference to a part of a block. It takes a lease of its own.
  ///
  /// @throws IndexOutOfBoundsException if the range is not inside of the block
  public static Memory over(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return MemoryRoot.alone(block.lease(), range);
  }

  /// Returns a read-only reference to a part of a block; otherwise like [#over].
  public static Memory readOnlyOver(Block block, long offset, long bytes) {
    return MemoryRoot.readOnly(block, offset, bytes);
  }

  /// Returns a reference for a short hand-over. Its revocation is batched with that of other lent
  /// memory. It holds all parts made of it until it ends. Otherwise like [#over].
  ///
  /// @throws IndexOutOfBoundsException if the range is not inside of the block
  public static Memory lend(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return Cohort.join(block.lease(), range);
  }

  /// Returns a read-only reference for a short hand-over; otherwise like [#lend].
  public static Memory lendReadOnly(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return Cohort.join(block.lease(), range);
  }

  /// Returns a reference that is never revoked: an access fails only if it is out of bounds. The
  /// garbage collector ends its lease, and so the charge on the account, some time after the last
  /// reference to it or to a part of it was dropped. [#close] does nothing.
  ///
  /// @throws IndexOutOfBoundsException if the range is not inside of the block
  public static Memory give(Block block, long offset, long bytes) {
    return MemoryRoot.given(block, block.segment().asSlice(offset, bytes));
  }

  /// Returns a read-only reference that is never revoked; otherwise like [#give].
  public static Memory giveReadOnly(Block block, long offset, long bytes) {
    return MemoryRoot.given(block, block.segment().asSlice(offset, bytes).asReadOnly());
  }

  /// Returns several memories in a row as one, which is read-only if any of them is. It is a part
  /// of each piece: it cannot revoke the pieces, and the range of a piece becomes inaccessible when
  /// the piece ends. An access of several bytes across a border consists of several accesses.
  ///
  /// @param pieces at least one, at most 1024
  public static Memory scattered(List<Memory> pieces) {
    return ScatteredMemory.of(pieces);
  }

  /// Returns a reference that can be written without changing the block: the first write copies the
  /// whole range, and all users of this reference or of a part of it see the copy from then on.
  /// Until then it holds a lease of its own. A block with several leases is a snapshot, so the
  /// bytes do not change before.
  ///
  /// @param account charged for the copy now, so that no write fails for lack of room
  /// @return null if the account has no room
  /// @throws IndexOutOfBoundsException if the range is not inside of the block
  public static @Nullable Memory copyOnWrite(
      Block block, long offset, long bytes, Account account) {
    return CopyOnWriteMemory.of(block, offset, bytes, account);
  }

  public abstract long lengthBytes();

  public abstract boolean isReadOnly();

  /// Returns true if the memory can still be used.
  public abstract boolean isLive();

  /// Returns a part of this memory. It ends when the whole ends.
  public abstract Memory slice(long offset, long bytes);

  /// Returns a part that can be revoked alone, for example after a call. Like memory from [#lend]
  /// it has a lease of its own. It ends with this memory at the latest. Copy-on-write memory makes
  /// its copy first.
  ///
  /// @throws IllegalStateException if this memory was revoked or closed
  /// @throws IndexOutOfBoundsException if the range is not inside
  public abstract Memory lendPart(long offset, long bytes);

  /// Returns a read-only reference to the same bytes. It cannot be made writable again.
  public abstract Memory asReadOnly();

  /// Returns the byte at an offset.
  public abstract byte get(long offset);

  /// Returns four bytes, little-endian.
  public abstract int getInt(long offset);

  /// Returns eight bytes, little-endian.
  public abstract long getLong(long offset);

  public abstract void set(long offset, byte value);

  public abstract void setInt(long offset, int value);

  public abstract void setLong(long offset, long value);

  public abstract void copyTo(long from, byte[] target, int at, int count);

  public abstract void copyFrom(byte[] source, int at, long to, int count);

  public abstract void copyTo(long from, Memory target, long at, long count);

  /// Copies to a block that the caller may write.
  public abstract void copyTo(long from, Block target, long at, long count);

  /// Copies from a block that the caller may read.
  public abstract void copyFrom(Block source, long from, long at, long count);

  /// Revokes this reference and all references derived from it at once: each access completes
  /// before this returns, or fails. Returns a fresh reference to the bytes, which only the caller
  /// has.
  ///
  /// @throws IllegalStateException if it was revoked or closed before
  /// @throws UnsupportedOperationException if this is a part
  public abstract Memory revokeNow();

  /// Revokes this reference and all references derived from it, and ends the lease of the block.
  /// Lent memory is revoked soon, in a batch, see above.
  ///
  /// @throws IllegalStateException if it was revoked or closed before
  /// @throws UnsupportedOperationException if this is a part
  public abstract void revoke();

  /// Revokes this memory like [#revoke], but is idempotent. Does nothing on a part, which ends with
  /// its whole.
  @Override
  public abstract void close();

  /// Returns a reference to the same bytes whose writes no other reference and no other holder of
  /// the block can see.
  ///
  /// A whole is returned itself if its lease is the only one and it has no parts. If it has parts,
  /// it is revoked at once, and the fresh reference is returned. If the block has other holders, a
  /// copy is returned and this reference is closed. For a part a copy is returned in any case, and
  /// its whole does not change. Threads that share the same reference share its writes.
  ///
  /// @return null if the account has no room for the copy; this reference does not change then
  /// @throws IllegalStateException if it was revoked or closed before
  /// @throws UnsupportedOperationException if it is read-only
  public abstract @Nullable Memory writable(Account account);

  /// Copies from memory that is a single range.
  abstract void copyFrom(RangeMemory source, long from, long at, long count);

  /// Requires a whole.
  ///
  /// @throws UnsupportedOperationException if this is a part
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

  /// Returns a copy of the bytes that replaces this reference, which is closed.
  ///
  /// @return null if the account has no room; nothing has changed then
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
