package sluice.loop.input;

import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// The memory for unfinished input of one loop. Owned by the loop's thread.
public final class PartialMemory {
  private static final int LEAST_BYTES = 512;

  /// Frees memory when none is left.
  public interface Evictor {
    /// Takes memory from a holder, for another holder that asks for `bytes`.
    ///
    /// @return false if no holder has to give memory up
    boolean freeInput(Object asking, int bytes);
  }

  private final Account account;
  private final Evictor evictor;

  public PartialMemory(Account account, Evictor evictor) {
    this.account = account;
    this.evictor = evictor;
  }

  /// Allocates a block, evicting other holders if necessary.
  ///
  /// @param asking the owner of the memory; compared by identity only
  /// @return a block of at least `bytes`, a power of two; null if there is no room
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

  /// Returns true if less than a quarter is left.
  public boolean scarce() {
    return account.usedBytes() > account.limitBytes() / 4 * 3;
  }
}
