package sluice.fs.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.cache.FrameLease;

/// The write order of a journal without a log: blocks that have lost entries to other blocks reach
/// the device after all others (`Transaction.changeLast`). Any thread may call, but [#turn] is only
/// for the thread that holds the journal's gate exclusively.
///
/// Such a block keeps its content on the device from the last sync until everything else is stable.
/// A block that was created in this epoch to take entries is not held back when it loses some
/// again: the entries it lost and those it kept are in blocks of this epoch, and on the device they
/// are still where they were before.
final class WriteOrder {
  /// The blocks that are held back, with the epoch of their last such change.
  private final Map<Long, Long> last = new ConcurrentHashMap<>();

  /// The blocks that were created in this epoch to take entries from others.
  private final Set<Long> first = ConcurrentHashMap.newKeySet();

  /// Records that a block is about to take entries from another.
  void first(long block) {
    first.add(block);
  }

  /// Records that a block is about to lose entries that another block has taken.
  void last(long block, long epoch) {
    if (!first.contains(block)) {
      last.put(block, epoch);
    }
  }

  /// Returns true if a block must not be written before all others.
  boolean isHeldBack(long block) {
    return !last.isEmpty() && last.containsKey(block);
  }

  int count() {
    return last.size() + first.size();
  }

  /// Ends an epoch. Removes the frames that are held back from the frames to write, and returns
  /// them.
  List<FrameLease> turn(List<FrameLease> frames) {
    first.clear();
    List<FrameLease> held = new ArrayList<>();
    if (!last.isEmpty()) {
      frames.removeIf(frame -> last.containsKey(frame.number()) && held.add(frame));
    }
    return held;
  }

  /// Releases the blocks whose last change was in an epoch that is now stable.
  void stable(long epoch) {
    last.values().removeIf(changed -> changed <= epoch);
  }
}
