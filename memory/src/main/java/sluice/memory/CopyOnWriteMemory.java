package sluice.memory;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A range of memory whose first write makes a copy of the whole. Any thread may use it until it is
/// revoked; all fields are final, what changes is in [CopyOnWriteRoot].
final class CopyOnWriteMemory extends Memory {
  private final CopyOnWriteRoot root;
  private final long base;
  private final long length;
  private final boolean readOnly;
  private final boolean part;

  private CopyOnWriteMemory(
      CopyOnWriteRoot root, long base, long length, boolean readOnly, boolean part) {
    this.root = root;
    this.base = base;
    this.length = length;
    this.readOnly = readOnly;
    this.part = part;
  }

  static @Nullable Memory of(Block block, long offset, long bytes, Account account) {
    CopyOnWriteRoot root = CopyOnWriteRoot.of(block, offset, bytes, account);
    return root == null ? null : whole(root);
  }

  private static CopyOnWriteMemory whole(CopyOnWriteRoot root) {
    return new CopyOnWriteMemory(root, 0, root.lengthBytes(), false, false);
  }

  @Override
  public long lengthBytes() {
    return length;
  }

  @Override
  public boolean isReadOnly() {
    return readOnly;
  }

  @Override
  public boolean isLive() {
    return root.isLive();
  }

  @Override
  public Memory slice(long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, length);
    return new CopyOnWriteMemory(root, base + offset, bytes, readOnly, true);
  }

  @Override
  public Memory asReadOnly() {
    return new CopyOnWriteMemory(root, base, length, true, true);
  }

  /// Where in the whole a range begins.
  private long at(long offset, long count) {
    return base + Objects.checkFromIndexSize(offset, count, length);
  }

  private RangeMemory own() {
    if (readOnly) {
      throw new UnsupportedOperationException("read-only memory cannot be written");
    }
    return root.own();
  }

  @Override
  public byte get(long offset) {
    long at = at(offset, 1);
    RangeMemory used = root.current();
    try {
      return used.get(at);
    } catch (IllegalStateException e) {
      if (!root.replaced(used)) {
        throw e;
      }
      return get(offset);
    }
  }

  @Override
  public int getInt(long offset) {
    long at = at(offset, Integer.BYTES);
    RangeMemory used = root.current();
    try {
      return used.getInt(at);
    } catch (IllegalStateException e) {
      if (!root.replaced(used)) {
        throw e;
      }
      return getInt(offset);
    }
  }

  @Override
  public long getLong(long offset) {
    long at = at(offset, Long.BYTES);
    RangeMemory used = root.current();
    try {
      return used.getLong(at);
    } catch (IllegalStateException e) {
      if (!root.replaced(used)) {
        throw e;
      }
      return getLong(offset);
    }
  }

  @Override
  public void set(long offset, byte value) {
    long at = at(offset, 1);
    own().set(at, value);
  }

  @Override
  public void setInt(long offset, int value) {
    long at = at(offset, Integer.BYTES);
    own().setInt(at, value);
  }

  @Override
  public void setLong(long offset, long value) {
    long at = at(offset, Long.BYTES);
    own().setLong(at, value);
  }

  @Override
  public void copyTo(long from, byte[] target, int at, int count) {
    long begin = at(from, count);
    RangeMemory used = root.current();
    try {
      used.copyTo(begin, target, at, count);
    } catch (IllegalStateException e) {
      if (!root.replaced(used)) {
        throw e;
      }
      copyTo(from, target, at, count);
    }
  }

  @Override
  public void copyFrom(byte[] source, int at, long to, int count) {
    long begin = at(to, count);
    own().copyFrom(source, at, begin, count);
  }

  @Override
  public void copyTo(long from, Memory target, long at, long count) {
    long begin = at(from, count);
    RangeMemory used = root.current();
    try {
      used.copyTo(begin, target, at, count);
    } catch (IllegalStateException e) {
      if (!root.replaced(used)) {
        throw e;
      }
      copyTo(from, target, at, count);
    }
  }

  @Override
  void copyFrom(RangeMemory source, long from, long at, long count) {
    long begin = at(at, count);
    own().copyFrom(source, from, begin, count);
  }

  @Override
  public void copyTo(long from, Block target, long at, long count) {
    long begin = at(from, count);
    RangeMemory used = root.current();
    try {
      used.copyTo(begin, target, at, count);
    } catch (IllegalStateException e) {
      if (!root.replaced(used)) {
        throw e;
      }
      copyTo(from, target, at, count);
    }
  }

  @Override
  public void copyFrom(Block source, long from, long at, long count) {
    long begin = at(at, count);
    own().copyFrom(source, from, begin, count);
  }

  @Override
  public Memory revokeNow() {
    checkWhole(part);
    return whole(root.revokeNow());
  }

  @Override
  public void revoke() {
    checkWhole(part);
    if (!root.revoke()) {
      throw MemoryRoot.endedBefore();
    }
  }

  @Override
  public void close() {
    if (!part) {
      boolean _ = root.revoke();
    }
  }

  @Override
  public @Nullable Memory writable(Account account) {
    checkWritable();
    return copyInstead(account);
  }
}
