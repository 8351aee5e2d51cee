package sluice.fs.cache;

import sluice.fs.block.Buffer;
import sluice.memory.block.Block;

/// A snapshot of a block that is used for reading. Instances are confined to one thread.
final class ReadBuffer extends Buffer {
  /// Creates a buffer. The caller's lease is transferred to it.
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
