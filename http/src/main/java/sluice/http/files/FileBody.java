package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// The result of reading a file once: exactly one version of it.
///
/// @param version the state of the file, which was the same before and after the read
/// @param block the bytes, with one lease, or null if the file is empty or streamed
/// @param stream the open file, with one reference, or null if the file is empty or in memory
/// @param seenNanos the time of the `statx` before the bytes were read, in nanoseconds since the
///   epoch
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
