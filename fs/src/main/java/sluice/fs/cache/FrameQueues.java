package sluice.fs.cache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Maintains the eviction order of the frames using S3-FIFO (Yang et al., SOSP 2023). All methods
/// are called under the monitor of [FrameSupply].
///
/// A new frame is added to the small queue, which contains a tenth of all frames. If the block is
/// requested again before the frame reaches the end of the queue, the frame is moved to the main
/// queue. Otherwise it is evicted, and its number is remembered for a while. If the block is read
/// again during this time, it is added directly to the main queue. Therefore a scan, which reads
/// each block once, evicts only the frames of the small queue.
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

  /// The numbers of evicted blocks: `ghosts[hash]` is the number, and `ghostAge[hash]` is the clock
  /// at the time of its eviction.
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

  /// Returns a coarse time that advances by sixteen while as many frames are added as the cache
  /// contains.
  int epoch() {
    return clock / Math.max(1, frames.length / 16);
  }

  /// Adds a frame that is now in use.
  ///
  /// @param used true if the block was requested, or false if it was read ahead
  void enter(Frame frame, boolean used) {
    if (place[frame.index] == NOWHERE) {
      // A late read-ahead may load a block that was just evicted. This does not count as a second
      // request.
      push(used && remembered(frame.number()) ? MAIN : SMALL, frame.index);
      clock++;
      frame.cool(epoch(), used);
    }
  }

  /// Removes a frame. Returns false if the frame is not in any queue.
  boolean leave(Frame frame) {
    if (place[frame.index] == NOWHERE) {
      return false;
    }
    unlink(frame.index);
    return true;
  }

  /// Replaces a frame by its copy in the same queue.
  ///
  /// @return false if the old frame is not in any queue
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

  /// Selects a frame for eviction, claims it, and removes it from its queue.
  ///
  /// @return the frame, or null if all frames are leased or dirty
  @Nullable Frame claimVictim() {
    int looks = 2 * (count[SMALL] + count[MAIN]) * (Frame.MOST_HEAT + 1);
    int refused = 0;
    for (int i = 0; i < looks; i++) {
      // If many frames of one queue were rejected (dirty frames of a large write), the other queue
      // is tried.
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
