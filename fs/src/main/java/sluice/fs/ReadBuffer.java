package sluice.fs;

import org.jspecify.annotations.Nullable;
import sluice.memory.Block;

/// A snapshot of a block for reading. Of one thread.
final class ReadBuffer extends Buffer {
  private final long number;
  private @Nullable Frame frame;

  /// Takes over the caller's lease.
  ReadBuffer(long number, Frame frame) {
    this.number = number;
    this.frame = frame;
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public Block block() {
    if (frame == null) {
      throw new IllegalStateException("the buffer of block " + number + " is closed");
    }
    return frame;
  }

  @Override
  boolean writable() {
    return false;
  }

  @Override
  public void close() {
    if (frame != null) {
      Frame held = frame;
      frame = null;
      held.release();
    }
  }
}
