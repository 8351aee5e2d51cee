package sluice.fs.ext2.layout;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// Arrays as long as a block, for copies that live as long as one operation: made new for each they
/// would be most of what an operation allocates. Any thread may call; the taker of one owns it
/// until he gives it back, which is no duty.
///
/// Limits: keeps as many as are used at the same time, [#MOST] at most.
public final class ScratchBlocks {
  private static final int MOST = 8;

  private final AtomicReferenceArray<byte @Nullable []> free = new AtomicReferenceArray<>(MOST);
  private final int blockBytes;

  public ScratchBlocks(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  /// @return whatever its bytes are
  public byte[] take() {
    for (int i = 0; i < MOST; i++) {
      byte[] found = free.get(i) == null ? null : free.getAndSet(i, null);
      if (found != null) {
        return found;
      }
    }
    return new byte[blockBytes];
  }

  /// @param block that is not used any more
  public void give(byte[] block) {
    for (int i = 0; i < MOST; i++) {
      if (free.get(i) == null && free.compareAndSet(i, null, block)) {
        return;
      }
    }
  }
}
