package sluice.fs.cache;

import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// The frames of a cache, which includes the free frames and the order in which all other frames
/// are evicted. This class is thread-safe. Its monitor is held only for a few steps, and never
/// while a thread waits for a stripe.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | queues, free, freeAt, freeCount | under the monitor | plain | plain |
/// | epoch | under the monitor | plain by readers: an old value costs nothing | plain |
///
/// Lifecycle: after [#close] has been called, the memory is released when the last frame becomes
/// free.
final class FrameSupply {
  private static final int NOWHERE = -1;

  private final BlockTable table;
  private final Frame[] frames;

  /// The memory of all frames, in the order of their indexes.
  private final Block memory;

  private final FrameQueues queues;
  private final Frame[] free;

  /// The index in [#free] of each frame, or [#NOWHERE].
  private final int[] freeAt;

  private final int blockShift;
  private int freeCount;
  private int epoch;
  private boolean closing;
  private boolean finished;

  /// Creates the frames of a cache.
  ///
  /// @param memory memory of `count` frames; its lease ends with the last frame
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

  /// Returns the memory of all frames, which allows bytes to be read from adjacent frames. No lease
  /// is required because the memory exists until [#close] is called.
  Block memory() {
    return memory;
  }

  /// Returns the offset of a frame in [#memory].
  long offset(Frame frame) {
    return (long) frame.index << blockShift;
  }

  /// Returns the frame that follows another frame in memory by `distance` frames, or null if there
  /// is no such frame.
  @Nullable Frame neighbour(Frame frame, int distance) {
    int index = frame.index + distance;
    return index < frames.length ? frames[index] : null;
  }

  /// Returns the frame that follows another frame in memory by `distance` frames. The frame must
  /// exist.
  Frame at(Frame frame, int distance) {
    return frames[frame.index + distance];
  }

  /// Returns the sum of the versions of adjacent frames after their bytes have been read. Also
  /// counts an access to each frame in the same pass, because the copied bytes have evicted the
  /// frames from the CPU cache.
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

  /// Returns the time for [Frame#touch].
  int epoch() {
    return epoch;
  }

  /// Acquires an unmapped frame with one lease for the caller. Evicts another block if necessary.
  ///
  /// @param block the block for which the frame is acquired; the frame after the frame of the
  ///   previous block is preferred, so that blocks that are read together are adjacent
  /// @return the frame, or null if all frames are leased or dirty
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
    // The frame is claimed and has no other holder, so its number cannot change until it is
    // unmapped here.
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

  /// Acquires a free frame, preferably the given one.
  private Frame pull(@Nullable Frame wish) {
    Frame last = free[--freeCount];
    Frame frame = wish != null && freeAt[wish.index] != NOWHERE ? wish : last;
    int place = freeAt[frame.index];
    free[place] = last;
    freeAt[last.index] = place;
    freeAt[frame.index] = NOWHERE;
    return frame;
  }

  /// Adds a frame that has been filled and mapped to the queues.
  ///
  /// @param used true if the block was requested, false if it was read ahead
  synchronized void enter(Frame frame, boolean used) {
    queues.enter(frame, used);
    epoch = queues.epoch();
  }

  /// Replaces a frame by its copy in the queues before the frame is unmapped. The caller must hold
  /// its stripe.
  ///
  /// @return false if the frame is being evicted, in which case nothing is changed
  synchronized boolean replace(Frame old, Frame by) {
    return queues.replace(old, by);
  }

  /// Returns an unmapped frame whose last lease has been released to the free frames.
  synchronized void giveBack(Frame frame) {
    push(frame);
    notifyAll();
    if (closing && freeCount == frames.length) {
      finish();
    }
  }

  /// Waits for a free frame for at most 10 ms.
  synchronized void awaitFree() {
    if (freeCount == 0) {
      Uninterruptibly.await(this, 10);
    }
  }

  /// Unmaps all frames. The memory is released when the last lease of a frame is released. No frame
  /// may be in the process of being loaded or claimed.
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
      // A write that began earlier may still be copying (see FrameRuns). An additional lease
      // prevents the frame from being claimed.
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

  /// Removes a frame from its queue before it is unmapped. The caller must hold its stripe.
  ///
  /// @return false if the frame is not in any queue because it is being evicted
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
