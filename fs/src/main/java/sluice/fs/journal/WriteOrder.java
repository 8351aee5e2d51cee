package sluice.fs.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.cache.FrameLease;

/// The write order of a journal that has no log: blocks from which entries were moved to other
/// blocks reach the device after all others (`Transaction.changeLast`). Any thread may call the
/// methods, except that [#turn] is reserved for the thread that holds the journal's gate in
/// exclusive mode.
///
/// The content of such a block on the device remains unchanged since the last sync until all other
/// changes are durable. If a block was created in this epoch in order to receive entries, it is not
/// held back when some of its entries are moved again. The entries that were moved and the
/// remaining entries are all in blocks of this epoch, and on the device they are still at their
/// previous locations.
final class WriteOrder {
  /// The blocks that are held back, mapped to the epoch of their last change of this kind.
  private final Map<Long, Long> last = new ConcurrentHashMap<>();

  /// The blocks that were created in this epoch in order to receive entries of other blocks.
  private final Set<Long> first = ConcurrentHashMap.newKeySet();

  /// Records that entries of another block are about to be moved to a block.
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
