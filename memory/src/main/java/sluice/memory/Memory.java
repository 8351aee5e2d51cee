package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

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
/// | [#revoke], [#close] of memory from [#lend] | about 0.65 ms later, or with the 64th of a batch | 1 µs, 6 µs beside 200 threads |
///
/// Until a batched revocation is complete, an earlier holder may still use its own former bytes.
/// The lease on the block ends afterwards, so no other owner has them meanwhile. A caller that goes
/// on using the bytes itself takes [#revokeNow].
///
/// Only Java's access ends. The bytes belong to a [Block] and are freed or reused when its last
/// lease ends; a device that is still filling them, or sending from them, holds one of its own.
///
/// A part ([#slice], [#asReadOnly]) can do less than the whole: it cannot end it, and never writes
/// again once it is read-only. An access costs what one of a bounded segment costs.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 3.3: memory objects.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | segment | [Cohort], under its lock | plain; an access that fails looks again under the lock | plain |
/// | root.ended | the thread that revokes or closes first | plain before an access, volatile otherwise | compareAndSet |
///
/// Lifecycle: made over a block → sliced, made read-only → revoked or closed once.
public final class Memory implements AutoCloseable {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemoryRoot root;
  private final boolean part;

  /// Another alias of the same bytes after [Cohort] moved the root.
  MemorySegment segment;

  Memory(MemoryRoot root, MemorySegment segment, boolean part) {
    this.root = root;
    this.segment = segment;
    this.part = part;
  }

  /// A reference to a part of a block. Takes a lease of its own.
  ///
  /// @throws IndexOutOfBoundsException when the range is not inside
  public static Memory over(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes);
    return MemoryRoot.alone(block.lease(), range);
  }

  /// As [#over], but nothing made from it can ever write.
  public static Memory readOnlyOver(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return MemoryRoot.alone(block.lease(), range);
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

  public long lengthBytes() {
    return segment.byteSize();
  }

  public boolean isReadOnly() {
    return segment.isReadOnly();
  }

  /// Whether it can still be used.
  public boolean isLive() {
    return !root.hasEnded();
  }

  /// A part of this memory. Ends when the whole does.
  public Memory slice(long offset, long bytes) {
    return root.part(this, same -> same.asSlice(offset, bytes));
  }

  /// The same bytes without the right to write. There is no way back.
  public Memory asReadOnly() {
    return root.part(this, MemorySegment::asReadOnly);
  }

  public byte get(long offset) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      return used.get(BYTE, offset);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      return get(offset);
    }
  }

  /// Four bytes, little-endian.
  public int getInt(long offset) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      return used.get(INT, offset);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      return getInt(offset);
    }
  }

  /// Eight bytes, little-endian.
  public long getLong(long offset) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      return used.get(LONG, offset);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      return getLong(offset);
    }
  }

  public void set(long offset, byte value) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      used.set(BYTE, offset, value);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      set(offset, value);
    }
  }

  public void setInt(long offset, int value) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      used.set(INT, offset, value);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      setInt(offset, value);
    }
  }

  public void setLong(long offset, long value) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      used.set(LONG, offset, value);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      setLong(offset, value);
    }
  }

  public void copyTo(long from, byte[] target, int at, int count) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      MemorySegment.copy(used, BYTE, from, target, at, count);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      copyTo(from, target, at, count);
    }
  }

  public void copyFrom(byte[] source, int at, long to, int count) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      MemorySegment.copy(source, at, used, BYTE, to, count);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      copyFrom(source, at, to, count);
    }
  }

  public void copyTo(long from, Memory target, long at, long count) {
    root.checkLive();
    target.root.checkLive();
    MemorySegment used = segment;
    MemorySegment usedTarget = target.segment;
    try {
      MemorySegment.copy(used, from, usedTarget, at, count);
    } catch (IllegalStateException e) {
      if (!isLive() || !target.isLive() || (!moved(used) && !target.moved(usedTarget))) {
        throw e;
      }
      copyTo(from, target, at, count);
    }
  }

  /// Copies into a block that the caller may write.
  public void copyTo(long from, Block target, long at, long count) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      MemorySegment.copy(used, from, target.segment(), at, count);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      copyTo(from, target, at, count);
    }
  }

  /// Copies out of a block that the caller may read.
  public void copyFrom(Block source, long from, long at, long count) {
    root.checkLive();
    MemorySegment used = segment;
    try {
      MemorySegment.copy(source.segment(), from, used, at, count);
    } catch (IllegalStateException e) {
      if (!moved(used)) {
        throw e;
      }
      copyFrom(source, from, at, count);
    }
  }

  /// Takes access away from every holder of this reference or of one derived from it, at once: an
  /// access completes before this returns or fails. Returns a fresh reference to all the bytes that
  /// only the caller has.
  ///
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when this is a part
  public Memory revokeNow() {
    checkWhole();
    return root.revokeNow();
  }

  /// Takes access away from every holder of this reference or of one derived from it, and ends the
  /// lease on the block. Lent memory: soon, in a batch, see above.
  ///
  /// @throws IllegalStateException when it was revoked or closed before
  /// @throws UnsupportedOperationException when this is a part
  public void revoke() {
    checkWhole();
    if (!root.revoke()) {
      throw root.endedBefore();
    }
  }

  /// As [#revoke], but idempotent. Does nothing on a part, which ends with its whole.
  @Override
  public void close() {
    if (!part) {
      boolean _ = root.revoke();
    }
  }

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
  public @Nullable Memory writable(Account account) {
    if (isReadOnly()) {
      throw new UnsupportedOperationException("read-only memory never becomes writable");
    }
    if (!isLive()) {
      throw root.endedBefore();
    }
    if (!part && root.block.leases() == 1) {
      return root.hasParts() ? revokeNow() : this;
    }
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

  /// Whether an access through `used` failed only because [Cohort] moved this memory meanwhile.
  private boolean moved(MemorySegment used) {
    return isLive() && !Cohort.moved(this).scope().equals(used.scope());
  }

  private void checkWhole() {
    if (part) {
      throw new UnsupportedOperationException(
          "a slice or a read-only reference cannot revoke the memory it was made of."
              + " Why: that belongs to its owner, and may be larger or writable."
              + " Fix: revoke the reference that Memory.over, lend or revokeNow returned.");
    }
  }
}
