package sluice.fs.ext2.layout;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// A pool of block-sized arrays for copies that are used only during an operation, and that would
/// otherwise account for most of its allocations. This class is thread-safe. The caller that
/// acquires an array owns it until it is returned. Returning an array is optional.
///
/// The pool contains as many arrays as are used at the same time, but at most [#MOST].
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
  /// @param block an array that is no longer in use
  public void give(byte[] block) {
    for (int i = 0; i < MOST; i++) {
      if (free.get(i) == null && free.compareAndSet(i, null, block)) {
        return;
      }
    }
  }
}
