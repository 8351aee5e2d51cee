package sluice.fs.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A hash table that maps block numbers to frames. Lookups are lock-free, and changes are made
/// under the stripe of the block number.
///
/// ```
///   heads[hash(number)] ──▶ Frame ──next──▶ Frame ──next──▶ null
/// ```
///
/// While a lookup traverses a chain, a frame may be moved to another chain. In this case, the
/// lookup continues in the wrong chain and terminates after at most [#STEPS] frames without finding
/// the block. Therefore the caller must validate the frame that was found, and only [#get] proves
/// that a block is not present.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `heads[i]`, `Frame.next` | under the stripe of the chain | acquire / volatile | release / volatile |
final class BlockTable {
  private static final VarHandle HEAD = MethodHandles.arrayElementVarHandle(Frame[].class);
  private static final int STEPS = 128;
  private static final int STRIPES = 1024;

  private final @Nullable Frame[] heads;
  private final Object[] stripes;

  /// Creates an empty table.
  ///
  /// @param frames the number of frames of the cache
  BlockTable(int frames) {
    heads = new @Nullable Frame[Integer.highestOneBit(Math.max(8, frames)) * 2];
    stripes = new Object[Math.min(heads.length, STRIPES)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Object();
    }
  }

  /// Returns the monitor that must be held while a block is mapped, unmapped, claimed or released.
  Object stripe(long block) {
    return stripes[bucket(block) & (stripes.length - 1)];
  }

  /// Returns the frame of a block, or null. This method is lock-free, and the caller must validate
  /// the result.
  @Nullable Frame find(long block) {
    @Nullable Frame frame = (Frame) HEAD.getAcquire(heads, bucket(block));
    for (int step = 0; frame != null && step < STEPS; step++) {
      if (frame.number() == block) {
        return frame;
      }
      frame = frame.next;
    }
    return null;
  }

  /// Returns the frame of a block, or null. The caller must hold the stripe of the block.
  @Nullable Frame get(long block) {
    Frame frame = heads[bucket(block)];
    while (frame != null && frame.number() != block) {
      frame = frame.next;
    }
    return frame;
  }

  /// Maps a frame that is not part of any chain. The caller must hold the stripe of the block.
  void put(long block, Frame frame) {
    int bucket = bucket(block);
    frame.map(block);
    frame.next = heads[bucket];
    HEAD.setRelease(heads, bucket, frame);
  }

  /// Unmaps a frame. The caller must hold the stripe of its number.
  void remove(Frame frame) {
    int bucket = bucket(frame.number());
    Frame before = null;
    for (Frame at = heads[bucket]; at != null; at = at.next) {
      if (at == frame) {
        if (before == null) {
          HEAD.setRelease(heads, bucket, frame.next);
        } else {
          before.next = frame.next;
        }
        frame.unmap();
        return;
      }
      before = at;
    }
    throw new AssertionError("frame " + frame.index + " is in no chain");
  }

  private int bucket(long block) {
    long mixed = block * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 40) & (heads.length - 1);
  }
}
