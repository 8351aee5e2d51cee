package sluice.memory;

import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;
import sluice.memory.block.Budget;

/// What a copy-on-write [Memory] and the parts made of it share: the original, later the copy. Any
/// thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | current | the first writer, under the monitor | volatile | volatile |
/// | copied | the first writer, under the monitor, after `current` | volatile | volatile |
final class CopyOnWriteRoot {
  private final Account account;
  private final long bytes;

  /// A whole in any case: what cannot write, over the original, then what can, over the copy.
  private volatile RangeMemory current;

  private volatile boolean copied;

  private CopyOnWriteRoot(Account account, RangeMemory current, boolean copied) {
    this.account = account;
    this.bytes = current.lengthBytes();
    this.current = current;
    this.copied = copied;
  }

  /// @return null when the account has no room for the copy
  static @Nullable CopyOnWriteRoot of(Block block, long offset, long bytes, Account account) {
    if (!account.tryCharge(bytes)) {
      return null;
    }
    try {
      return new CopyOnWriteRoot(account, MemoryRoot.readOnly(block, offset, bytes), false);
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

  /// For reading, what is now.
  RangeMemory current() {
    return current;
  }

  /// Whether an access through `used` failed only because it was replaced by the copy meanwhile.
  boolean replaced(RangeMemory used) {
    RangeMemory now = current;
    return now != used && now.isLive();
  }

  /// For writing.
  ///
  /// @throws IllegalStateException when it was revoked or closed before
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

  /// @return false when it has ended before
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

  /// @throws IllegalStateException when it has ended before
  synchronized CopyOnWriteRoot revokeNow() {
    return new CopyOnWriteRoot(account, current.revokeNow(), copied);
  }

  /// What was charged when the reference was made.
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
