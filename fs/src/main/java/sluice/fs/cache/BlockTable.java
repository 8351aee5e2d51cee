package sluice.fs.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A hash table of the frames by block number. Lookups take no lock; changes are made under the
/// stripe of the number.
///
/// ```
///   heads[hash(number)] ──▶ Frame ──next──▶ Frame ──next──▶ null
/// ```
///
/// While a lookup traverses a chain, a frame may move to another chain. The lookup then continues
/// in the wrong chain and finds nothing, after at most [#STEPS] frames. So the caller validates the
/// frame it found, and only [#get] proves that a block is absent.
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

  /// Returns the monitor to hold while a block is mapped, unmapped, claimed or released.
  Object stripe(long block) {
    return stripes[bucket(block) & (stripes.length - 1)];
  }

  /// Returns the frame of a block, or null. Takes no lock; the caller validates the result.
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

  /// Returns the frame of a block, or null. The caller holds its stripe.
  @Nullable Frame get(long block) {
    Frame frame = heads[bucket(block)];
    while (frame != null && frame.number() != block) {
      frame = frame.next;
    }
    return frame;
  }

  /// Maps a frame that is in no chain. The caller holds the block's stripe.
  void put(long block, Frame frame) {
    int bucket = bucket(block);
    frame.map(block);
    frame.next = heads[bucket];
    HEAD.setRelease(heads, bucket, frame);
  }

  /// Unmaps a frame. The caller holds the stripe of its number.
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
