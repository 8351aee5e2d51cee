package sluice.http.front;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The replies that [KeptReplies] keeps, found by what they answer, by their target and by their
/// tags. Its holder's lock guards everything.
///
/// Nothing here walks over all replies but [#clear]: a reply is taken out of each order by its
/// links. What is kept longest goes first when there is no room, but what was used since it was
/// looked at last goes round once more (second chance, or CLOCK: Corbató 1968).
final class ReplyTable {
  private static final int STRIPES = 256;

  /// A slot for so many bytes: most replies are larger.
  private static final int BYTES_A_SLOT = 1 << 10;

  private static final int FEWEST_SLOTS = 1 << 6;
  private static final int MOST_SLOTS = 1 << 20;

  private final long limitBytes;

  /// By target: how often something was ended.
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

  /// @param limitBytes of all replies together
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

  /// Replies that were kept since the start.
  long stored() {
    return stored;
  }

  /// Whether some reply answers all hosts.
  boolean hasForAllHosts() {
    return forAllHosts > 0;
  }

  /// The first of the replies that may have a key with this hash; the others follow by `next`.
  @Nullable KeptReply first(long hash) {
    return table[slot(hash)];
  }

  /// How often something of a target was ended.
  int generation(long targetHash) {
    return generations[stripe(targetHash)];
  }

  // ---- in -------------------------------------------------------------------------------------

  /// Keeps a reply in place of what answers the same, if there is room for it.
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

  /// Ends what is kept, and on its way, for a target.
  ///
  /// @return how many replies were kept
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

  /// Ends what is kept with a tag, and all that is on its way, whose tags are not known yet.
  ///
  /// @return how many replies were kept
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

  /// Ends all.
  ///
  /// @return how many replies were kept
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
