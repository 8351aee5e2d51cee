package sluice.fs;

import static java.util.Objects.requireNonNull;

import java.lang.foreign.ValueLayout;
import sluice.memory.Account;
import sluice.memory.Block;

/// Memory for tests.
final class Blocks {
  private Blocks() {}

  static Block of(long bytes) {
    return requireNonNull(Block.allocate(new Account("test", bytes), bytes));
  }

  /// A block in which each byte follows from its position and a seed.
  static Block patterned(int bytes, int seed) {
    Block block = of(bytes);
    for (int i = 0; i < bytes; i++) {
      block.segment().set(ValueLayout.JAVA_BYTE, i, pattern(seed, i));
    }
    return block;
  }

  static byte pattern(int seed, int at) {
    return (byte) (seed * 31 + at + (at >>> 8) * 7);
  }

  static byte[] bytes(Block block) {
    return block.segment().toArray(ValueLayout.JAVA_BYTE);
  }
}
