package sluice.fs.cache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The eviction order of frames: S3-FIFO (Yang et al., SOSP 2023). Accessed under the monitor of
/// [FrameSupply].
///
/// A new frame enters the small queue, a tenth of all frames. If the block is requested again
/// before the frame reaches the end, the frame moves to the main queue; otherwise it is evicted,
/// and its number is remembered for a while. A block that is read again while it is remembered
/// enters the main queue directly. So a scan, which reads each block once, evicts no more than the
/// small queue.
final class FrameQueues {
  private static final byte NOWHERE = 0;
  private static final byte SMALL = 1;
  private static final byte MAIN = 2;
  private static final int NIL = -1;

  private final Frame[] frames;
  private final byte[] place;
  private final int[] before;
  private final int[] after;

  /// The oldest frame, newest frame and size of each queue, indexed by SMALL and MAIN.
  private final int[] oldest = {NIL, NIL, NIL};

  private final int[] newest = {NIL, NIL, NIL};
  private final int[] count = {0, 0, 0};

  /// The evicted numbers: `ghosts[hash]` is the number, `ghostAge[hash]` the clock at its eviction.
  private final long[] ghosts;

  private final int[] ghostAge;
  private final int smallTarget;
  private int clock;

  FrameQueues(Frame[] frames) {
    this.frames = frames;
    place = new byte[frames.length];
    before = new int[frames.length];
    after = new int[frames.length];
    ghosts = new long[Integer.highestOneBit(frames.length) * 2];
    Arrays.fill(ghosts, Frame.NONE);
    ghostAge = new int[ghosts.length];
    smallTarget = Math.max(1, frames.length / 10);
  }

  /// Returns a coarse time: it advances by sixteen while as many frames enter as the cache has.
  int epoch() {
    return clock / Math.max(1, frames.length / 16);
  }

  /// Adds a frame that has come into use.
  ///
  /// @param used true if the block was requested, false if it was read ahead
  void enter(Frame frame, boolean used) {
    if (place[frame.index] == NOWHERE) {
      // A late read-ahead brings back a block that was just evicted; this is not a second request.
      push(used && remembered(frame.number()) ? MAIN : SMALL, frame.index);
      clock++;
      frame.cool(epoch(), used);
    }
  }

  /// Removes a frame. Returns false if it is in no queue.
  boolean leave(Frame frame) {
    if (place[frame.index] == NOWHERE) {
      return false;
    }
    unlink(frame.index);
    return true;
  }

  /// Replaces a frame by its copy, in the same queue.
  ///
  /// @return false if the old frame is in no queue
  boolean replace(Frame old, Frame by) {
    byte queue = place[old.index];
    if (queue == NOWHERE) {
      return false;
    }
    unlink(old.index);
    push(queue, by.index);
    by.heat = old.heat;
    return true;
  }

  /// Selects a frame to evict, claims it and removes it from its queue.
  ///
  /// @return null if all frames are leased or dirty
  @Nullable Frame claimVictim() {
    int looks = 2 * (count[SMALL] + count[MAIN]) * (Frame.MOST_HEAT + 1);
    int refused = 0;
    for (int i = 0; i < looks; i++) {
      // After many rejected frames of one queue (dirty frames of a large write), tries the other.
      boolean small = (count[SMALL] > smallTarget) ^ ((refused & 64) != 0);
      byte queue = count[MAIN] == 0 || (small && count[SMALL] > 0) ? SMALL : MAIN;
      if (count[queue] == 0) {
        return null;
      }
      int index = oldest[queue];
      Frame frame = frames[index];
      if (frame.heat > 0) {
        frame.heat = queue == MAIN ? (byte) (frame.heat - 1) : 0;
        move(index, MAIN);
      } else if (claim(frame)) {
        unlink(index);
        if (queue == SMALL) {
          remember(frame.number());
        }
        return frame;
      } else {
        refused++;
        move(index, queue);
      }
    }
    return null;
  }

  private static boolean claim(Frame frame) {
    if (frame.dirty || frame.held || frame.leases() != 1 || !frame.claim()) {
      return false;
    }
    if (frame.dirty || frame.held) { // changed before the claim
      frame.endClaim();
      return false;
    }
    return true;
  }

  private void remember(long number) {
    int at = ghost(number);
    ghosts[at] = number;
    ghostAge[at] = clock;
  }

  private boolean remembered(long number) {
    int at = ghost(number);
    return ghosts[at] == number && clock - ghostAge[at] <= frames.length;
  }

  private int ghost(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L) >>> 40) & (ghosts.length - 1);
  }

  private void move(int index, byte queue) {
    unlink(index);
    push(queue, index);
  }

  private void push(byte queue, int index) {
    place[index] = queue;
    before[index] = newest[queue];
    after[index] = NIL;
    if (newest[queue] == NIL) {
      oldest[queue] = index;
    } else {
      after[newest[queue]] = index;
    }
    newest[queue] = index;
    count[queue]++;
  }

  private void unlink(int index) {
    byte queue = place[index];
    int left = before[index];
    int right = after[index];
    if (left == NIL) {
      oldest[queue] = right;
    } else {
      after[left] = right;
    }
    if (right == NIL) {
      newest[queue] = left;
    } else {
      before[right] = left;
    }
    place[index] = NOWHERE;
    count[queue]--;
  }
}
