package sluice.fs.ext2.layout;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// A pool of arrays of block size, for copies that live as long as one operation and would
/// otherwise be most of its allocations. Safe for use by any thread. The taker of an array owns it
/// until it is returned; returning it is optional.
///
/// Limits: keeps as many as are used at the same time, at most [#MOST].
public final class ScratchBlocks {
  private static final int MOST = 8;

  private final AtomicReferenceArray<byte @Nullable []> free = new AtomicReferenceArray<>(MOST);
  private final int blockBytes;

  public ScratchBlocks(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  /// Returns an array with undefined content.
  public byte[] take() {
    for (int i = 0; i < MOST; i++) {
      byte[] found = free.get(i) == null ? null : free.getAndSet(i, null);
      if (found != null) {
        return found;
      }
    }
    return new byte[blockBytes];
  }

  /// Returns an array to the pool.
  ///
  /// @param block an array that is not used any more
  public void give(byte[] block) {
    for (int i = 0; i < MOST; i++) {
      if (free.get(i) == null && free.compareAndSet(i, null, block)) {
        return;
      }
    }
  }
}
