package sluice.memory;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;
import sluice.memory.block.Budget;

/// A range of memory that is copied in full by the first write. Any thread may use it until it is
/// revoked. All fields are final, and the mutable state is kept in [Root].
final class CopyOnWriteMemory extends Memory {
  private final Root root;
  private final long base;
  private final long length;
  private final boolean readOnly;
  private final boolean part;

  private CopyOnWriteMemory(Root root, long base, long length, boolean readOnly, boolean part) {
    this.root = root;
    this.base = base;
    this.length = length;
    this.readOnly = readOnly;
    this.part = part;
  }

  static @Nullable Memory of(Block block, long offset, long bytes, Account account) {
    Root root = Root.of(block, offset, bytes, account);
    return root == null ? null : whole(root);
  }

  private static CopyOnWriteMemory whole(Root root) {
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
  public Memory lendPart(long offset, long bytes) {
    long at = at(offset, bytes);
    return root.own().lendPart(at, bytes, readOnly);
  }

  @Override
  public Memory asReadOnly() {
    return new CopyOnWriteMemory(root, base, length, true, true);
  }

  /// Returns the offset of the given range in the whole memory.
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

  /// The state that is shared by a reference and its parts. It refers to the original memory until
  /// the first write, and to the copy afterwards. This class is thread-safe.
  ///
  /// | field | writer | read mode | write mode |
  /// |---|---|---|---|
  /// | current | the first writer, under the monitor | volatile | volatile |
  /// | copied | the first writer, under the monitor, after `current` | volatile | volatile |
  private static final class Root {
    private final Account account;
    private final long bytes;

    /// The current memory. It is never a part: before the first write it is a read-only reference
    /// to the original, and afterwards it is a writable reference to the copy.
    private volatile RangeMemory current;

    private volatile boolean copied;

    private Root(Account account, RangeMemory current, boolean copied) {
      this.account = account;
      this.bytes = current.lengthBytes();
      this.current = current;
      this.copied = copied;
    }

    /// Creates the shared state, or returns null if the account does not have enough room for the
    /// copy.
    static @Nullable Root of(Block block, long offset, long bytes, Account account) {
      if (!account.tryCharge(bytes)) {
        return null;
      }
      try {
        return new Root(account, MemoryRoot.readOnly(block, offset, bytes), false);
      } catch (IndexOutOfBoundsException | IllegalStateException e) {
        account.refund(bytes);
        throw e;
      }
    }

    long lengthBytes() {
      return bytes;
    }

    boolean isLive() {
      return current.isLive();
    }

    /// Returns the current memory for read access.
    RangeMemory current() {
      return current;
    }

    /// Returns true if an access through `used` failed only because the memory was replaced by the
    /// copy in the meantime.
    boolean replaced(RangeMemory used) {
      RangeMemory now = current;
      return now != used && now.isLive();
    }

    /// Returns the copy for write access, and creates it if it does not exist yet.
    ///
    /// @throws IllegalStateException if the memory was revoked or closed
    RangeMemory own() {
      if (!copied) {
        copy();
      }
      return current;
    }

    private synchronized void copy() {
      if (copied) {
        return;
      }
      RangeMemory original = current;
      if (!original.isLive()) {
        throw MemoryRoot.gone();
      }
      Block copy = Block.allocate(new Charged(account), bytes);
      if (copy == null) {
        throw new AssertionError("what is charged already always has room");
      }
      original.copyTo(0, copy, 0, bytes);
      current = MemoryRoot.alone(copy, copy.segment()); // takes over the lease
      copied = true;
      original.close();
    }

    /// Revokes the memory. Returns false if the memory has already ended.
    synchronized boolean revoke() {
      if (!current.isLive()) {
        return false;
      }
      current.close();
      if (!copied) {
        account.refund(bytes);
      }
      return true;
    }

    /// Revokes the memory and returns the state for a new reference to the same bytes.
    ///
    /// @throws IllegalStateException if the memory has already ended
    synchronized Root revokeNow() {
      return new Root(account, current.revokeNow(), copied);
    }

    /// A budget for bytes that were already charged when the reference was created.
    private record Charged(Account account) implements Budget {
      @Override
      public boolean tryCharge(long bytes) {
        return true;
      }

      @Override
      public void refund(long bytes) {
        account.refund(bytes);
      }
    }
  }
}
