package sluice.acceptance.stress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// What the tests of blocks and memory write and find: eight bytes that tell whose they are. Any
/// thread may call.
final class Bytes {
  /// Of the owner before.
  static final long OLD = 1;

  /// Of the next owner.
  static final long NEW = 2;

  /// Of the next owner, before the block is its: no other thread may see them.
  static final long UNFINISHED = 3;

  /// There was no access.
  static final long NONE = 4;

  static final Account ACCOUNT = new Account("stress", Long.MAX_VALUE);

  private Bytes() {}

  /// A block with the bytes of its owner.
  static Block block(long value) {
    Block block = made(Block.allocate(ACCOUNT, Long.BYTES));
    set(block, value);
    return block;
  }

  static Block made(@Nullable Block block) {
    if (block == null) {
      throw new AssertionError("an account without limit was full");
    }
    return block;
  }

  static long get(Block block) {
    return block.segment().get(ValueLayout.JAVA_LONG, 0);
  }

  static void set(Block block, long value) {
    MemorySegment segment = block.segment();
    segment.set(ValueLayout.JAVA_LONG, 0, value);
  }
}
