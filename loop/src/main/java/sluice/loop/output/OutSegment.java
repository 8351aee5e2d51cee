package sluice.loop.output;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.FileBody;
import sluice.memory.block.Block;

/// A segment of a connection's output, which consists of staged bytes, leased bytes, or a range of
/// a file. Segments are pooled and owned by the loop's thread.
public final class OutSegment {
  /// The minimum size for which pages are sent, because copying fewer bytes is cheaper.
  private static final int LEAST_PAGES_BYTES = 64 << 10;

  /// The memory that contains the bytes, if [#file] is null.
  public MemorySegment bytes = MemorySegment.NULL;

  public long offset;
  public int length;

  /// The lease that keeps the bytes valid, or null if they are staged.
  public @Nullable Block lease;

  /// True if the lease is on input memory, which other connections need for receiving.
  public boolean input;

  /// The staging slab that contains the bytes, which is valid in this turn only, or null.
  public @Nullable Block slab;

  /// True if the lease is charged to the loop's account of output.
  public boolean kept;

  /// The file of which this segment is a range, or null. In this case, [#lease] is the chunk of the
  /// file that is being sent, or null.
  public @Nullable FileBody file;

  public long filePosition;
  public long fileRemaining;

  public @Nullable OutSegment next;

  /// True if the pages could not be sent, so that the bytes are copied to the socket.
  public boolean copied;

  public boolean staged() {
    return slab != null;
  }

  /// Returns true if the bytes, which are replaced by their ciphertext, have already been counted
  /// by [sluice.loop.OutputRoom].
  public boolean counted() {
    return kept || slab != null;
  }

  /// Returns true if the pages that contain the bytes are passed to the socket (`sendfile(2)` of a
  /// memory file).
  public boolean sentByPages() {
    return lease != null
        && !copied
        && file == null
        && length >= LEAST_PAGES_BYTES
        && lease.fileDescriptor() >= 0;
  }

  /// Clears the segment and releases the lease and the loop's reference to a file.
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
