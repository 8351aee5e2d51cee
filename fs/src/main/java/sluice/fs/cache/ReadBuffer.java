package sluice.fs.cache;

import sluice.fs.block.Buffer;
import sluice.memory.block.Block;

/// A snapshot of a block for reading. Confined to one thread.
final class ReadBuffer extends Buffer {
  /// Creates a buffer, which takes over the caller's lease.
  ReadBuffer(long number, Frame frame) {
    super(number, frame);
  }

  @Override
  protected boolean writable() {
    return false;
  }

  @Override
  protected void letGo(Block held) {
    held.release();
  }
}
