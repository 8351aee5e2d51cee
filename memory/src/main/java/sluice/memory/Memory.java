package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A revocable reference to native bytes: what code outside a handler is given. Any thread may use
/// it until it is revoked.
///
/// Revocation ends every access through a reference and through everything derived from it, for all
/// threads, by [IllegalStateException]. There are two kinds:
///
/// | | earlier references fail | cost |
/// |---|---|---|
/// | [#revokeNow] | before it returns, and the caller gets a fresh reference | a handshake with all threads, 33 to 45 µs |
/// | [#revoke], [#close] of memory from [#over] | before it returns | the same |
/// | [#revoke], [#close] of memory from [#lend] | about 0.65 ms later, or with the 256th of a batch | 0.5 µs, 0.9 µs beside 200 threads |
///
/// Until a batched revocation is complete, an earlier holder may still use its own former bytes.
/// The lease on the block ends afterwards, so no other owner has them meanwhile. A caller that goes
/// on using the bytes itself takes [#revokeNow].
///
/// Only Java's access ends. The bytes belong to a [Block] and are freed or reused when its last
/// lease ends; a device that is still filling them, or sending from them, holds one of its own.
///
/// A part ([#slice], [#asReadOnly]) can do less than the whole: it cannot end it, and never writes
/// again once it is read-only. A part from [#lendPart] can be ended, which leaves the whole as it
/// is. An access costs what one of a bounded segment costs.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.3: memory objects.
///
/// Besides what can be taken away ([#over], [#lend]) there are other kinds, with the same accesses:
///
/// | kind | what is special | ends |
/// |---|---|---|
/// | [#give] | cannot be revoked | when no reference to it is left |
/// | [#scattered] | several memories in a row, as one | piece by piece, when these do |
/// | [#copyOnWrite] | the first write makes a copy, which is the holder's own | as [#over] |
///
/// Lifecycle: made over a block → sliced, made read-only → revoked or closed once.
public abstract sealed class Memory implements AutoCloseable
    permits RangeMemory, ScatteredMemory, CopyOnWriteMemory {
  Memory() {}

  /// A reference to a part of a block. Takes a lease of its own.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public static Memory over(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return MemoryRoot.alone(block.lease(), range);
  }

  /// As [#over], but nothing made from it can ever write.
  public static Memory readOnlyOver(Block block, long offset, long bytes) {
    return MemoryRoot.readOnly(block, offset, bytes);
  }

  /// As [#over], for a hand-over that ends soon: its revocation is batched with those of other lent
  /// memory. It keeps the parts that are made of it until it ends.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public static Memory lend(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return Cohort.join(block.lease(), range);
  }

  /// As [#lend], but nothing made from it can ever write.
  public static Memory lendReadOnly(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return Cohort.join(block.lease(), range);
  }

  /// A reference that is never taken away from its holders: an access fails for its bounds only.
  /// Its lease, and so the charge on the account, ends some time after the last reference to it or
  /// to a part of it was dropped, by the garbage collector; [#close] does nothing.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public static Memory give(Block block, long offset, long bytes) {
    return MemoryRoot.given(block, block.segment().asSlice(offset, bytes));
  }

  /// As [#give], but nothing made from it can ever write.
  public static Memory giveReadOnly(Block block, long offset, long bytes) {
    return MemoryRoot.given(block, block.segment().asSlice(offset, bytes).asReadOnly());
  }

  /// Several memories in a row, as one; read-only when one of them is. It is a part of each: it
  /// ends none, and what lies in a piece cannot be used any more when that piece has ended. An
  /// access of several bytes over a border is several accesses.
  ///
  /// @param pieces at least one, at most 1024
  public static Memory scattered(List<Memory> pieces) {
    return ScatteredMemory.of(pieces);
  }

  /// A reference whose holder may write without changing the block: the first write makes a copy of
  /// the whole range, which all that use this very reference or a part of it see from then on.
  /// Takes a lease of its own until then. A block with several leases is a snapshot, so nothing
  /// else changes what is read before.
  ///
  /// @param account charged for the copy now, so that no write fails for want of room
  /// @return null when the account has no room
  /// @throws IndexOutOfBoundsException when the range is not inside
  public static @Nullable Memory copyOnWrite(
      Block block, long offset, long bytes, Account account) {
    return CopyOnWriteMemory.of(block, offset, bytes, account);
  }

  public abstract long lengthBytes();

  public abstract boolean isReadOnly();

  /// Whether it can still be used.
  public abstract boolean isLive();

  /// A part of this memory. Ends when the whole does.
  public abstract Memory slice(long offset, long bytes);

  /// A part that can be ended alone, for the time of a call for instance: as memory from [#lend],
  /// with a lease of its own. It ends with this memory at the latest. A copy on write makes its
  /// copy first.
  ///
  /// @throws IllegalStateException when this was revoked or closed before
  /// @throws IndexOutOfBoundsException when the range is not inside
  public abstract Memory lendPart(long offset, long bytes);

  /// The same bytes without the right to write. There is no way back.
  public abstract Memory asReadOnly();

  /// The byte at an offset.
  public abstract byte get(long offset);

  /// Four bytes, little-endian.
  public abstract int getInt(long offset);

  /// Eight bytes, little-endian.
  public abstract long getLong(long offset);

  public abstract void set(long offset, byte value);

  public abstract void setInt(long offset, int value);

  public abstract void setLong(long offset, long value);

  public abstract void copyTo(long from, byte[] target, int at, int count);

  public abstract void copyFrom(byte[] source, int at, long to, int count);

  public abstract void copyTo(long from, Memory target, long at, long count);

  /// Copies into a block that the caller may write.
  public abstract void copyTo(long from, Block target, long at, long count);

  /// Copies out of a block that the caller may read.
  public abstract void copyFrom(Block source, long from, long at, long count);

  /// Takes access away from every holder of this reference or of one derived from it, at once: an
  /// access completes before this returns or fails. Returns a fresh reference to all the bytes that
  /// only the caller has.
  ///
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when this is a part
  public abstract Memory revokeNow();

  /// Takes access away from every holder of this reference or of one derived from it, and ends the
  /// lease on the block. Lent memory: soon, in a batch, see above.
  ///
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when this is a part
  public abstract void revoke();

  /// As [#revoke], but idempotent. Does nothing on a part, which ends with its whole.
  @Override
  public abstract void close();

  /// The same bytes where no other reference and no other holder of the block sees a write.
  ///
  /// A whole is that itself when its lease is the only one and no part was made of it; when one
  /// was, it is revoked now and the fresh reference comes back. When the block has other holders, a
  /// copy comes back and this reference is closed. Of a part a copy comes back in any case, and its
  /// whole stays as it is. Threads that share this very reference share what it writes.
  ///
  /// @return null when the account has no room for the copy; this reference stays as it is then
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when it is read-only
  public abstract @Nullable Memory writable(Account account);

  /// Copies one range, when it is known that the source is one.
  abstract void copyFrom(RangeMemory source, long from, long at, long count);

  /// @throws UnsupportedOperationException when this is a part
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

  /// A copy of the bytes in place of this reference, which is closed.
  ///
  /// @return null when the account has no room; nothing was done then
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
