package sluice.fs.cache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The order in which frames are given up: S3-FIFO (Yang et al., SOSP 2023). Used under the monitor
/// of [FrameSupply].
///
/// A new frame enters the small queue, a tenth of all; what was asked for again before it reached
/// the end moves to the main queue, the rest is given up, its number remembered for a while. What
/// is read again while it is remembered enters the main queue at once. So what is read once, a
/// scan, never pushes out more than the small queue.
final class FrameQueues {
  private static final byte NOWHERE = 0;
  private static final byte SMALL = 1;
  private static final byte MAIN = 2;
  private static final int NIL = -1;

  private final Frame[] frames;
  private final byte[] place;
  private final int[] before;
  private final int[] after;

  /// First in, last in and number of frames of each queue, indexed by SMALL and MAIN.
  private final int[] oldest = {NIL, NIL, NIL};

  private final int[] newest = {NIL, NIL, NIL};
  private final int[] count = {0, 0, 0};

  /// Numbers given up: `ghosts[hash]` is the number, `ghostAge[hash]` when.
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

  /// Advances sixteen times while as many frames enter as there are.
  int epoch() {
    return clock / Math.max(1, frames.length / 16);
  }

  /// A frame that has come into use.
  ///
  /// @param used whether it was asked for, and not read ahead
  void enter(Frame frame, boolean used) {
    if (place[frame.index] == NOWHERE) {
      // Reading ahead that comes late brings back what was just given up: that is no second wish.
      push(used && remembered(frame.number()) ? MAIN : SMALL, frame.index);
      clock++;
      frame.cool(epoch(), used);
    }
  }

  /// @return false when it is in no queue
  boolean leave(Frame frame) {
    if (place[frame.index] == NOWHERE) {
      return false;
    }
    unlink(frame.index);
    return true;
  }

  /// A copy takes the place of what it was copied from.
  ///
  /// @return false when the old one is in no queue
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

  /// Picks a frame that is not needed and claims it; it is in no queue then.
  ///
  /// @return null when all are leased or dirty
  @Nullable Frame claimVictim() {
    int looks = 2 * (count[SMALL] + count[MAIN]) * (Frame.MOST_HEAT + 1);
    int refused = 0;
    for (int i = 0; i < looks; i++) {
      // Where one queue refuses a lot (dirty frames of a large write), the other is asked.
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
    if (frame.dirty || frame.held) { // it became so before the claim
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
