package sluice.fs;

import sluice.memory.block.Block;

/// Takes the pieces of a file's content from [FileTree#slices], in order, on the thread that reads.
@FunctionalInterface
public interface SliceSink {
  /// One piece. The bytes are a snapshot: not written while they are leased.
  ///
  /// @param block where they are, read only; to keep it beyond this call, lease it
  /// @param offset of the first byte
  /// @param bytes at least 1
  void slice(Block block, long offset, int bytes);
}
