package sluice.loop;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.Block;

/// One piece of a connection's output: staged bytes, leased bytes, or a range of a file. Pooled and
/// owned by the loop's thread.
final class OutSegment {
  /// Memory the bytes are in, when [#file] is null.
  MemorySegment bytes = MemorySegment.NULL;

  long offset;
  int length;

  /// The lease that keeps the bytes; null when they are staged.
  @Nullable Block lease;

  /// The lease is one on input: memory that others need to receive.
  boolean input;

  /// The staging slab the bytes are in, for this turn only; null otherwise.
  @Nullable Block slab;

  /// The lease is the only one, charged to the loop's account of blocked output.
  boolean kept;

  @Nullable FileBody file;
  long filePosition;
  long fileRemaining;

  @Nullable OutSegment next;

  boolean staged() {
    return slab != null;
  }

  /// Drops what the segment holds. The loop's reference on a file, and the lease, end here.
  void clear() {
    if (lease != null) {
      lease.release();
      lease = null;
    }
    if (file != null) {
      file.release();
      file = null;
    }
    kept = false;
    input = false;
    slab = null;
    bytes = MemorySegment.NULL;
    next = null;
  }
}
