package sluice.fs;

import sluice.memory.block.Block;

/// Receives slices of the content of a file from [FileTree#slices], in order, on the calling
/// thread.
@FunctionalInterface
public interface SliceSink {
  /// Receives a slice. Its bytes are a snapshot that does not change while the block is leased.
  ///
  /// @param block the memory, which is read-only; it must be leased in order to use it after this
  ///   call
  /// @param offset the offset of the first byte
  /// @param bytes the length, at least 1
  void slice(Block block, long offset, int bytes);
}
