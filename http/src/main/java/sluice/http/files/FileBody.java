package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// What reading a file once gave: exactly one version of it.
///
/// @param version the file's state before and after the read
/// @param block the bytes, with one lease; null when empty or streamed
/// @param stream the open file, with one reference; null when in memory or empty
/// @param seenNanos when it was asked for its state, before the bytes were read: since the epoch
record FileBody(
    FileStatus version, @Nullable Block block, @Nullable FileStream stream, long seenNanos) {
  void discard() {
    if (block != null) {
      block.release();
    }
    if (stream != null) {
      stream.release();
    }
  }
}
