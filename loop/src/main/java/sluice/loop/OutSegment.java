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

  /// The lease is charged to the loop's account of output.
  boolean kept;

  /// What comes next is a range of this file. Then [#lease] is the piece of it that is being sent,
  /// or null.
  @Nullable FileBody file;

  long filePosition;
  long fileRemaining;

  @Nullable OutSegment next;

  boolean staged() {
    return slab != null;
  }

  /// Whether [OutputRoom] counts the bytes already: their ciphertext takes their place.
  boolean counted() {
    return kept || slab != null;
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
    length = 0;
    next = null;
  }
}
