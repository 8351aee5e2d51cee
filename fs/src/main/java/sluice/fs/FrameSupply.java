package sluice.fs;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// All frames of a cache: those that are free, and which of the others to give up. Any thread may
/// call; the monitor is held for a few steps and never while a stripe is waited for.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | queues, free, freeCount | under the monitor | plain | plain |
/// | epoch | under the monitor | plain by readers: an old value costs nothing | plain |
///
/// Lifecycle: [#close] gives the memory back when the last frame has come home.
final class FrameSupply {
  private final Runnable end;
  private final BlockTable table;
  private final Frame[] frames;
  private final FrameQueues queues;
  private final Frame[] free;
  private int freeCount;
  private int epoch;
  private boolean closing;
  private boolean finished;

  /// @param memory of `count` frames
  /// @param end gives the memory back
  FrameSupply(MemorySegment memory, Runnable end, BlockTable table, int blockBytes, int count) {
    this.end = end;
    this.table = table;
    frames = new Frame[count];
    free = new Frame[count];
    for (int i = 0; i < count; i++) {
      frames[i] = new Frame(this, i, memory.asSlice((long) i * blockBytes, blockBytes));
      free[count - 1 - i] = frames[i];
    }
    freeCount = count;
    queues = new FrameQueues(frames);
  }

  int count() {
    return frames.length;
  }

  /// The time that [Frame#touch] knows.
  int epoch() {
    return epoch;
  }

  /// A frame that is mapped nowhere, with one lease: the caller's. Gives up another's content for
  /// it if it must.
  ///
  /// @return null when all frames are leased or dirty
  @Nullable Frame tryTake() {
    Frame victim;
    synchronized (this) {
      if (freeCount > 0) {
        Frame frame = free[--freeCount];
        frame.take();
        return frame;
      }
      victim = queues.claimVictim();
      if (victim == null) {
        return null;
      }
    }
    // Claimed: nobody else can hold it, so its number stays until it is unmapped here.
    synchronized (table.stripe(victim.number())) {
      table.remove(victim);
    }
    victim.endClaim();
    return victim;
  }

  /// A frame has been filled and mapped.
  ///
  /// @param used whether somebody has asked for it, and did not read ahead
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
    free[freeCount++] = frame;
    notifyAll();
    if (closing && freeCount == frames.length) {
      finish();
    }
  }

  /// Waits for a frame to come home, a moment at most.
  synchronized void awaitFree() {
    if (freeCount == 0) {
      Waits.await(this, 10);
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
      table.remove(frame);
    }
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
      end.run();
    }
  }
}
