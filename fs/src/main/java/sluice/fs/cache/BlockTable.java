package sluice.fs.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Which frame holds a block. Any thread looks up without a lock; changes are made under the stripe
/// of the number.
///
/// ```
///   heads[hash(number)] ──▶ Frame ──next──▶ Frame ──next──▶ null
/// ```
///
/// A looking thread may stand on a frame that moves to another chain: it then looks at the wrong
/// frames and finds nothing, after at most [#STEPS] of them. So what it finds is checked by the
/// finder, and only the answer of [#get] that there is nothing is final.
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

  /// @param frames number of frames there are
  BlockTable(int frames) {
    heads = new @Nullable Frame[Integer.highestOneBit(Math.max(8, frames)) * 2];
    stripes = new Object[Math.min(heads.length, STRIPES)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Object();
    }
  }

  /// What to hold while a block is mapped, unmapped, claimed or let go.
  Object stripe(long block) {
    return stripes[bucket(block) & (stripes.length - 1)];
  }

  /// The frame of a block, without a lock; the caller checks what it got.
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

  /// The frame of a block. Under its stripe.
  @Nullable Frame get(long block) {
    Frame frame = heads[bucket(block)];
    while (frame != null && frame.number() != block) {
      frame = frame.next;
    }
    return frame;
  }

  /// Maps a frame that no chain holds. Under the block's stripe.
  void put(long block, Frame frame) {
    int bucket = bucket(block);
    frame.map(block);
    frame.next = heads[bucket];
    HEAD.setRelease(heads, bucket, frame);
  }

  /// Unmaps a frame. Under the stripe of its number.
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
