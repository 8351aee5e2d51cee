package sluice.fs.block;

/// A snapshot of a block for reading. Of one thread.
final class ReadBuffer extends Buffer {
  /// Takes over the caller's lease.
  ReadBuffer(long number, Frame frame) {
    super(number, frame);
  }

  @Override
  boolean writable() {
    return false;
  }

  @Override
  void letGo(Frame held) {
    held.release();
  }
}
