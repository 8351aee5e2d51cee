package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A reference to a contiguous range of a block. Any thread may use it until it is revoked.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | segment | [Cohort], under its lock | plain; an access that fails looks again under the lock | plain |
/// | root.ended | the thread that revokes or closes first | plain before an access, volatile otherwise | compareAndSet |
///
/// Lifecycle: created on a block → sliced, made read-only → revoked or closed once. Memory that was
/// created by [Memory#give] ends when it becomes unreachable.
final class RangeMemory extends Memory {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemoryRoot root;
  private final boolean part;

  /// The current alias of the bytes. It is replaced by [Cohort] when the root is moved to another
  /// cohort.
  MemorySegment segment;

  RangeMemory(MemoryRoot root, MemorySegment segment, boolean part) {
    this.root = root;
    this.segment = segment;
    this.part = part;
  }

  @Override
  public long lengthBytes() {
    return segment.byteSize();
  }

  @Override
  public boolean isReadOnly() {
    return segment.isReadOnly();
  }

  @Override
  public boolean isLive() {
    return !root.hasEnded();
  }

  @Override
  public Memory slice(long offset, long bytes) {
    return root.part(this, same -> same.asSlice(offset, bytes));
  }

  @Override
  public RangeMemory lendPart(long offset, long bytes) {
    return lendPart(offset, bytes, isReadOnly());
  }

  RangeMemory lendPart(long offset, long bytes, boolean readOnly) {
    MemorySegment used = segment;
    Objects.checkFromIndexSize(offset, bytes, used.byteSize());
    long at = used.address() - root.whole.address() + offset;
    MemorySegment range = root.whole.asSlice(at, bytes);
    return root.lendPart(readOnly ? range.asReadOnly() : range);
  }

  MemoryRoot root() {
    return root;
  }

  @Override
  public Memory asReadOnly() {
    return root.part(this, MemorySegment::asReadOnly);
  }

  @Override
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

  @Override
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

  @Override
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

  @Override
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

  @Override
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

  @Override
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

  @Override
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

  @Override
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

  @Override
  public void copyTo(long from, Memory target, long at, long count) {
    target.copyFrom(this, from, at, count);
  }

  @Override
  void copyFrom(RangeMemory source, long from, long at, long count) {
    source.copyToRange(from, this, at, count);
  }

  private void copyToRange(long from, RangeMemory target, long at, long count) {
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
      copyToRange(from, target, at, count);
    }
  }

  @Override
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

  @Override
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

  @Override
  public RangeMemory revokeNow() {
    checkWhole();
    return root.revokeNow();
  }

  @Override
  public void revoke() {
    checkWhole();
    if (!root.revoke()) {
      throw MemoryRoot.endedBefore();
    }
  }

  @Override
  public void close() {
    if (!part && !root.given) {
      boolean _ = root.revoke();
    }
  }

  @Override
  public @Nullable Memory writable(Account account) {
    checkWritable();
    if (!isLive()) {
      throw MemoryRoot.endedBefore();
    }
    if (!part && root.block.leases() == 1 && !(root.given && root.hasParts())) {
      return root.hasParts() ? revokeNow() : this;
    }
    return copyInstead(account);
  }

  /// Returns true if an access through `used` failed only because [Cohort] moved this memory in the
  /// meantime.
  private boolean moved(MemorySegment used) {
    return isLive() && !Cohort.moved(this).scope().equals(used.scope());
  }

  private void checkWhole() {
    if (root.given) {
      throw new UnsupportedOperationException(
          "memory that was given cannot be revoked. Why: its holder relies on that."
              + " Fix: Memory.lend or over for what is to be taken back.");
    }
    checkWhole(part);
  }
}
