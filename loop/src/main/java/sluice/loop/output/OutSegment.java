package sluice.loop.output;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.FileBody;
import sluice.memory.block.Block;

/// A piece of a connection's output: staged bytes, leased bytes, or a range of a file. Pooled and
/// owned by the loop's thread.
public final class OutSegment {
  /// The size from which on the pages of bytes are sent; copying fewer bytes costs less.
  private static final int LEAST_PAGES_BYTES = 64 << 10;

  /// The memory with the bytes, if [#file] is null.
  public MemorySegment bytes = MemorySegment.NULL;

  public long offset;
  public int length;

  /// The lease that keeps the bytes; null if they are staged.
  public @Nullable Block lease;

  /// True if the lease is on input memory, which other connections need to receive.
  public boolean input;

  /// The staging slab with the bytes, for this turn only; null otherwise.
  public @Nullable Block slab;

  /// True if the lease is charged to the loop's account of output.
  public boolean kept;

  /// The file of which this segment is a range, or null. [#lease] is then the piece of it that is
  /// being sent, or null.
  public @Nullable FileBody file;

  public long filePosition;
  public long fileRemaining;

  public @Nullable OutSegment next;

  /// True if the pages could not be sent as such, so that the bytes are copied to the socket.
  public boolean copied;

  public boolean staged() {
    return slab != null;
  }

  /// Returns true if [sluice.loop.OutputRoom] already counts the bytes, whose ciphertext replaces
  /// them.
  public boolean counted() {
    return kept || slab != null;
  }

  /// Returns true if the pages of the bytes are passed to the socket (`sendfile(2)` of a memory
  /// file).
  public boolean sentByPages() {
    return lease != null
        && !copied
        && file == null
        && length >= LEAST_PAGES_BYTES
        && lease.fileDescriptor() >= 0;
  }

  /// Clears the segment and releases the loop's reference on a file, and the lease.
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
