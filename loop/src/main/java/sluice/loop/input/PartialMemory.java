package sluice.loop.input;

import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// The memory that unfinished input of one loop takes. Owned by the loop's thread.
public final class PartialMemory {
  private static final int LEAST_BYTES = 512;

  /// Makes room where there is none.
  public interface Evictor {
    /// Takes memory from a holder, for another that asks for `bytes`.
    ///
    /// @return false when there is no holder that must give it
    boolean freeInput(Object asking, int bytes);
  }

  private final Account account;
  private final Evictor evictor;

  public PartialMemory(Account account, Evictor evictor) {
    this.account = account;
    this.evictor = evictor;
  }

  /// @param asking for what it is; compared by identity only
  /// @return at least `bytes`, a power of two; null when there is no room
  public @Nullable Block allocate(Object asking, int bytes) {
    int size = Math.max(LEAST_BYTES, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
    Block block = Block.allocate(account, size);
    while (block == null && evictor.freeInput(asking, size)) {
      block = Block.allocate(account, size);
    }
    return block;
  }

  public long usedBytes() {
    return account.usedBytes();
  }

  /// Whether less than a quarter is left.
  public boolean scarce() {
    return account.usedBytes() > account.limitBytes() / 4 * 3;
  }
}
