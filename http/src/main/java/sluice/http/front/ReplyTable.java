package sluice.http.front;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The table of the replies in [KeptReplies], with indexes by key, target and tag. It is guarded by
/// the lock of its owner.
///
/// Only [#clear] iterates over all replies, whereas other removals use the links of a reply. If
/// space is needed, the oldest reply is evicted first, but a reply that was used since it was last
/// examined is retained for another round (second chance, or CLOCK: Corbató 1968).
final class ReplyTable {
  private static final int STRIPES = 256;

  /// The number of bytes per slot of the table. Most replies are larger.
  private static final int BYTES_A_SLOT = 1 << 10;

  private static final int FEWEST_SLOTS = 1 << 6;
  private static final int MOST_SLOTS = 1 << 20;

  private final long limitBytes;

  /// The number of invalidations for each stripe of targets.
  private final int[] generations = new int[STRIPES];

  private final KeptReply[] table;
  private final KeptReply[] targets;
  private final Map<String, Set<KeptReply>> tagged = new HashMap<>();
  private @Nullable KeptReply oldest;
  private @Nullable KeptReply newest;
  private long bytes;
  private int count;
  private int forAllHosts;
  private long stored;

  /// @param limitBytes the maximum total size of all replies
  ReplyTable(long limitBytes) {
    this.limitBytes = limitBytes;
    long wanted = Math.clamp(limitBytes / BYTES_A_SLOT, FEWEST_SLOTS, MOST_SLOTS);
    int slots = (int) Long.highestOneBit(wanted);
    this.table = new KeptReply[slots];
    this.targets = new KeptReply[slots];
  }

  private int slot(long hash) {
    return (int) (hash >>> 32) & table.length - 1;
  }

  private static int stripe(long targetHash) {
    return (int) targetHash & STRIPES - 1;
  }

  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  /// Returns the number of replies that have been stored since the table was created.
  long stored() {
    return stored;
  }

  /// Returns true if the table contains a reply for all hosts.
  boolean hasForAllHosts() {
    return forAllHosts > 0;
  }

  /// Returns the first of the replies whose key may have this hash. The others are linked by
  /// `next`.
  @Nullable KeptReply first(long hash) {
    return table[slot(hash)];
  }

  /// Returns the number of invalidations for the stripe of a target.
  int generation(long targetHash) {
    return generations[stripe(targetHash)];
  }

  // ---- in -------------------------------------------------------------------------------------

  /// Stores a reply, replacing the one with the same key, if there is enough space.
  void insert(KeptReply reply, long nowNanos) {
    int charged = reply.chargedBytes();
    if (charged > limitBytes) {
      return;
    }
    KeptReply same = first(reply.hash);
    while (same != null && !same.answers(reply.key)) {
      same = same.next;
    }
    if (same != null) {
      remove(same);
    }
    makeRoom(charged, nowNanos);
    int slot = slot(reply.hash);
    reply.next = table[slot];
    table[slot] = reply;
    int target = slot(reply.targetHash);
    KeptReply other = targets[target];
    reply.nextOfTarget = other;
    if (other != null) {
      other.previousOfTarget = reply;
    }
    targets[target] = reply;
    for (String tag : reply.tags) {
      tagged.computeIfAbsent(tag, _ -> new HashSet<>()).add(reply);
    }
    append(reply);
    reply.kept = true;
    count++;
    forAllHosts += reply.isForAllHosts() ? 1 : 0;
    bytes += charged;
    stored++;
  }

  private void makeRoom(int charged, long nowNanos) {
    KeptReply first = oldest;
    while (bytes + charged > limitBytes && first != null) {
      if (first.used && first.isFresh(nowNanos)) {
        first.used = false;
        unlink(first);
        append(first);
      } else {
        remove(first);
      }
      first = oldest;
    }
  }

  private void append(KeptReply reply) {
    KeptReply last = newest;
    reply.older = last;
    if (last == null) {
      oldest = reply;
    } else {
      last.newer = reply;
    }
    newest = reply;
  }

  // ---- out ------------------------------------------------------------------------------------

  void remove(KeptReply reply) {
    if (!reply.kept) {
      return;
    }
    reply.kept = false;
    unlinkFromTable(reply);
    unlinkFromTarget(reply);
    for (String tag : reply.tags) {
      Set<KeptReply> all = tagged.get(tag);
      if (all != null && all.remove(reply) && all.isEmpty()) {
        tagged.remove(tag);
      }
    }
    unlink(reply);
    count--;
    forAllHosts -= reply.isForAllHosts() ? 1 : 0;
    bytes -= reply.chargedBytes();
  }

  private void unlinkFromTable(KeptReply reply) {
    int slot = slot(reply.hash);
    KeptReply at = table[slot];
    if (at == reply) {
      table[slot] = reply.next;
      return;
    }
    while (at != null && at.next != reply) {
      at = at.next;
    }
    if (at != null) {
      at.next = reply.next;
    }
  }

  private void unlinkFromTarget(KeptReply reply) {
    KeptReply before = reply.previousOfTarget;
    KeptReply after = reply.nextOfTarget;
    if (before == null) {
      targets[slot(reply.targetHash)] = after;
    } else {
      before.nextOfTarget = after;
    }
    if (after != null) {
      after.previousOfTarget = before;
    }
    reply.previousOfTarget = null;
    reply.nextOfTarget = null;
  }

  private void unlink(KeptReply reply) {
    KeptReply before = reply.older;
    KeptReply after = reply.newer;
    if (before == null) {
      oldest = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.older = before;
    }
    reply.older = null;
    reply.newer = null;
  }

  /// Invalidates the replies for a target, including those in progress.
  ///
  /// @return the number of replies removed
  int endTarget(long targetHash, byte[] target) {
    generations[stripe(targetHash)]++;
    int removed = 0;
    KeptReply at = targets[slot(targetHash)];
    while (at != null) {
      KeptReply next = at.nextOfTarget;
      if (at.isOf(targetHash, target)) {
        remove(at);
        removed++;
      }
      at = next;
    }
    return removed;
  }

  /// Invalidates the replies with a tag, and all replies in progress because their tags are not
  /// known yet.
  ///
  /// @return the number of replies removed
  int endTag(String tag) {
    endAllOnTheirWay();
    Set<KeptReply> all = tagged.get(tag);
    if (all == null) {
      return 0;
    }
    KeptReply[] ended = all.toArray(new KeptReply[0]);
    for (KeptReply each : ended) {
      remove(each);
    }
    return ended.length;
  }

  /// Removes all replies.
  ///
  /// @return the number of replies removed
  int clear() {
    endAllOnTheirWay();
    int removed = count;
    KeptReply first = oldest;
    while (first != null) {
      remove(first);
      first = oldest;
    }
    return removed;
  }

  private void endAllOnTheirWay() {
    for (int i = 0; i < STRIPES; i++) {
      generations[i]++;
    }
  }
}
