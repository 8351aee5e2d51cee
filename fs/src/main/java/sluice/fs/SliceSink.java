package sluice.fs;

import sluice.memory.block.Block;

/// Receives pieces of a file's content from [FileTree#slices], in order, on the reading thread.
@FunctionalInterface
public interface SliceSink {
  /// Receives a piece. The bytes are a snapshot, which does not change while it is leased.
  ///
  /// @param block the memory, read-only; to keep it beyond this call, lease it
  /// @param offset the offset of the first byte
  /// @param bytes the length, at least 1
  void slice(Block block, long offset, int bytes);
}
