package sluice.fs;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import sluice.fs.block.BlockDevice;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// Blocks of memory for tests.
public final class Blocks {
  private Blocks() {}

  public static Block of(long bytes) {
    return requireNonNull(Block.allocate(new Account("test", bytes), bytes));
  }

  /// Allocates a block in which each byte is derived from its position and a seed.
  public static Block patterned(int bytes, int seed) {
    Block block = of(bytes);
    for (int i = 0; i < bytes; i++) {
      block.segment().set(ValueLayout.JAVA_BYTE, i, pattern(seed, i));
    }
    return block;
  }

  public static byte pattern(int seed, int at) {
    return (byte) (seed * 31 + at + (at >>> 8) * 7);
  }

  public static byte[] bytes(Block block) {
    return block.segment().toArray(ValueLayout.JAVA_BYTE);
  }

  /// Returns all bytes of a device.
  public static byte[] all(BlockDevice device) throws IOException {
    Block block = of(device.lengthBytes());
    try {
      device.read(0, block, 0, (int) device.lengthBytes());
      return bytes(block);
    } finally {
      block.release();
    }
  }
}
