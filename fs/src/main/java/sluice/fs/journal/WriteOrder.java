package sluice.fs.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.cache.FrameLease;

/// Which blocks reach the device after the others, without a log: those that have lost what other
/// blocks took (`Transaction.changeLast`). Any thread may call; [#turn] by the thread that holds
/// the journal's gate alone.
///
/// Such a block stays on the device as the last sync has left it until everything else is stable
/// there. A block that was made in this epoch to take something is not held back when it loses some
/// of it again: what it has lost and what it has kept are both in blocks of this epoch, and on the
/// device still where they were before it.
final class WriteOrder {
  /// Blocks held back, and the epoch in which they were changed last so.
  private final Map<Long, Long> last = new ConcurrentHashMap<>();

  /// Blocks that were made in this epoch to take what others lose.
  private final Set<Long> first = ConcurrentHashMap.newKeySet();

  /// A block is about to take what others lose.
  void first(long block) {
    first.add(block);
  }

  /// A block is about to lose what others have taken.
  void last(long block, long epoch) {
    if (!first.contains(block)) {
      last.put(block, epoch);
    }
  }

  /// Whether a block may not be written before everything else is.
  boolean isHeldBack(long block) {
    return !last.isEmpty() && last.containsKey(block);
  }

  int count() {
    return last.size() + first.size();
  }

  /// An epoch ends: takes those frames that are held back out of what is to be written.
  List<FrameLease> turn(List<FrameLease> frames) {
    first.clear();
    List<FrameLease> held = new ArrayList<>();
    if (!last.isEmpty()) {
      frames.removeIf(frame -> last.containsKey(frame.number()) && held.add(frame));
    }
    return held;
  }

  /// What was changed up to an epoch is stable.
  void stable(long epoch) {
    last.values().removeIf(changed -> changed <= epoch);
  }
}
