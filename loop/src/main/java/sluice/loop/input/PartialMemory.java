package sluice.loop.input;

import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// The memory for unfinished input of one loop. Owned by the loop's thread.
public final class PartialMemory {
  private static final int LEAST_BYTES = 512;

  /// Frees memory when the budget is exhausted.
  public interface Evictor {
    /// Reclaims memory from a holder on behalf of another holder that requests `bytes`.
    ///
    /// @return false if there is no holder from which memory can be reclaimed
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
  /// @param asking the owner of the memory, which is compared by identity only
  /// @return a block of at least `bytes`, which is a power of two, or null if there is no room
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

  /// Returns true if less than a quarter of the memory is free.
  public boolean scarce() {
    return account.usedBytes() > account.limitBytes() / 4 * 3;
  }
}
