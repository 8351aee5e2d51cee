package sluice.loop.output;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.FileBody;
import sluice.memory.block.Block;

/// One piece of a connection's output: staged bytes, leased bytes, or a range of a file. Pooled and
/// owned by the loop's thread.
public final class OutSegment {
  /// Fewer bytes than this are copied: handing over their pages costs more.
  private static final int LEAST_PAGES_BYTES = 64 << 10;

  /// Memory the bytes are in, when [#file] is null.
  public MemorySegment bytes = MemorySegment.NULL;

  public long offset;
  public int length;

  /// The lease that keeps the bytes; null when they are staged.
  public @Nullable Block lease;

  /// The lease is one on input: memory that others need to receive.
  public boolean input;

  /// The staging slab the bytes are in, for this turn only; null otherwise.
  public @Nullable Block slab;

  /// The lease is charged to the loop's account of output.
  public boolean kept;

  /// What comes next is a range of this file. Then [#lease] is the piece of it that is being sent,
  /// or null.
  public @Nullable FileBody file;

  public long filePosition;
  public long fileRemaining;

  public @Nullable OutSegment next;

  /// The pages could not be sent as such: the bytes are copied to the socket.
  public boolean copied;

  public boolean staged() {
    return slab != null;
  }

  /// Whether [sluice.loop.OutputRoom] counts the bytes already: their ciphertext takes their place.
  public boolean counted() {
    return kept || slab != null;
  }

  /// Whether the pages of these bytes are handed to the socket (`sendfile(2)` of a memory file).
  public boolean sentByPages() {
    return lease != null
        && !copied
        && file == null
        && length >= LEAST_PAGES_BYTES
        && lease.fileDescriptor() >= 0;
  }

  /// Drops what the segment holds. The loop's reference on a file, and the lease, end here.
  public void clear() {
    if (lease != null) {
      lease.release();
      lease = null;
    }
    if (file != null) {
      file.release();
      file = null;
    }
    kept = false;
    copied = false;
    input = false;
    slab = null;
    bytes = MemorySegment.NULL;
    length = 0;
    next = null;
  }
}
