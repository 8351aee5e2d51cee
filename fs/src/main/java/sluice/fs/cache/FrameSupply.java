package sluice.fs.cache;

import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// All frames of a cache: those that are free, and which of the others to give up. Any thread may
/// call; the monitor is held for a few steps and never while a stripe is waited for.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | queues, free, freeAt, freeCount | under the monitor | plain | plain |
/// | epoch | under the monitor | plain by readers: an old value costs nothing | plain |
///
/// Lifecycle: [#close] gives the memory back when the last frame has come home.
final class FrameSupply {
  private static final int NOWHERE = -1;

  private final BlockTable table;
  private final Frame[] frames;

  /// The memory of all frames, in their order.
  private final Block memory;

  private final FrameQueues queues;
  private final Frame[] free;

  /// Where in [#free] the frame of an index is, or [#NOWHERE].
  private final int[] freeAt;

  private final int blockShift;
  private int freeCount;
  private int epoch;
  private boolean closing;
  private boolean finished;

  /// @param memory of `count` frames; its lease ends with the last of them
  FrameSupply(Block memory, BlockTable table, int blockBytes, int count) {
    this.table = table;
    this.memory = memory;
    blockShift = Integer.numberOfTrailingZeros(blockBytes);
    frames = new Frame[count];
    free = new Frame[count];
    freeAt = new int[count];
    for (int i = 0; i < count; i++) {
      frames[i] = new Frame(this, i, memory.segment().asSlice((long) i * blockBytes, blockBytes));
    }
    for (int i = count - 1; i >= 0; i--) {
      push(frames[i]);
    }
    queues = new FrameQueues(frames);
  }

  int count() {
    return frames.length;
  }

  /// All frames as one, for reading what lies in neighbouring ones. No reader leases it: it is
  /// there until [#close].
  Block memory() {
    return memory;
  }

  /// Where a frame begins in [#memory].
  long offset(Frame frame) {
    return (long) frame.index << blockShift;
  }

  /// The frame that lies so many frames behind another in memory, null behind the last one.
  @Nullable Frame neighbour(Frame frame, int distance) {
    int index = frame.index + distance;
    return index < frames.length ? frames[index] : null;
  }

  /// The frame that lies so many frames behind another in memory. There is one.
  Frame at(Frame frame, int distance) {
    return frames[frame.index + distance];
  }

  /// The sum of the versions of neighbouring frames, after their bytes have been read. Counts an
  /// access to each: one look at a frame, which the bytes have driven out of the nearest cache.
  int versionsAfterReading(Frame first, int count) {
    int now = epoch;
    int sum = first.versionAfterReading();
    first.touch(now);
    for (int i = 1; i < count; i++) {
      Frame frame = frames[first.index + i];
      sum += frame.versionOpaque();
      frame.touch(now);
    }
    return sum;
  }

  /// The time that [Frame#touch] knows.
  int epoch() {
    return epoch;
  }

  /// A frame that is mapped nowhere, with one lease: the caller's. Gives up another's content for
  /// it if it must.
  ///
  /// @param block what it is for: if it can be had, it is the frame behind that of the block
  ///   before, so that what is read together lies together
  /// @return null when all frames are leased or dirty
  @Nullable Frame tryTake(long block) {
    Frame before = table.find(block - 1);
    Frame wish = before == null ? null : neighbour(before, 1);
    Frame victim;
    synchronized (this) {
      if (freeCount > 0) {
        Frame frame = pull(wish);
        frame.take();
        return frame;
      }
      victim = queues.claimVictim();
      if (victim == null) {
        return null;
      }
    }
    // Claimed: it has no other holder, so its number stays until it is unmapped here.
    synchronized (table.stripe(victim.number())) {
      table.remove(victim);
    }
    victim.endClaim();
    return victim;
  }

  private void push(Frame frame) {
    freeAt[frame.index] = freeCount;
    free[freeCount++] = frame;
  }

  /// Takes a free frame, the wished one if it is free.
  private Frame pull(@Nullable Frame wish) {
    Frame last = free[--freeCount];
    Frame frame = wish != null && freeAt[wish.index] != NOWHERE ? wish : last;
    int place = freeAt[frame.index];
    free[place] = last;
    freeAt[last.index] = place;
    freeAt[frame.index] = NOWHERE;
    return frame;
  }

  /// A frame has been filled and mapped.
  ///
  /// @param used whether it was asked for, and not read ahead
  synchronized void enter(Frame frame, boolean used) {
    queues.enter(frame, used);
    epoch = queues.epoch();
  }

  /// Before a frame is unmapped because a copy replaces it. Under its stripe.
  ///
  /// @return false when it is being given up: nothing was done
  synchronized boolean replace(Frame old, Frame by) {
    return queues.replace(old, by);
  }

  /// The last lease on an unmapped frame has ended.
  synchronized void giveBack(Frame frame) {
    push(frame);
    notifyAll();
    if (closing && freeCount == frames.length) {
      finish();
    }
  }

  /// Waits for a frame to come home, a moment at most.
  synchronized void awaitFree() {
    if (freeCount == 0) {
      Uninterruptibly.await(this, 10);
    }
  }

  /// Unmaps all frames; the memory goes when the last lease on one ends. Nothing is loading or
  /// claimed any more.
  void close() {
    synchronized (this) {
      closing = true;
    }
    for (Frame frame : frames) {
      unmap(frame);
    }
    synchronized (this) {
      if (freeCount == frames.length) {
        finish();
      }
    }
  }

  private void unmap(Frame frame) {
    long number = frame.number();
    if (number == Frame.NONE) {
      return;
    }
    synchronized (table.stripe(number)) {
      if (frame.number() != number || !leave(frame)) {
        return;
      }
      // A write that was begun before the end may still copy: see FrameRuns. With
      // one lease more it cannot be claimed any more.
      while (!frame.lend()) {
        if (frame.writers() > 0) {
          throw new IllegalStateException("block " + number + " is in an open transaction's hands");
        }
        Uninterruptibly.pause();
      }
      table.remove(frame);
    }
    frame.release();
    frame.release();
  }

  /// Takes a frame out of its queue, before it is unmapped. Under its stripe.
  ///
  /// @return false when it is in none: it is being given up
  synchronized boolean leave(Frame frame) {
    return queues.leave(frame);
  }

  private void finish() {
    if (!finished) {
      finished = true;
      memory.release();
    }
  }
}
