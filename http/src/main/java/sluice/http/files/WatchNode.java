package sluice.http.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A name beneath the root that a ticket depends on. It refers to a watched directory or file, or
/// it does not exist yet.
///
/// Used only by its [WatchTable], under the lock of that table.
final class WatchNode {
  static final int NO_WATCH = -1;

  private static final WatchNode[] NO_CHILDREN = new WatchNode[0];

  final @Nullable WatchNode parent;
  final byte[] name;
  final int hash;

  /// The watch on the file or directory of this name. Several nodes may share a watch if there are
  /// bind mounts.
  int wd = NO_WATCH;

  @Nullable WatchNode nextOfWatch;

  /// True if the watch is on a directory, in which case events refer to children of this node.
  boolean directory;

  /// The number of events in this directory that have been drained so far, which may wrap around.
  int events;

  /// True if the node has been removed from the table.
  boolean removed;

  final List<WatchTicket> tickets = new ArrayList<>(2);

  /// The neighbors in the table's list of directories, which is ordered by last use.
  @Nullable WatchNode older;

  @Nullable WatchNode newer;

  private @Nullable WatchNode nextInBucket;
  private @Nullable WatchNode[] buckets = NO_CHILDREN;
  private int childCount;

  WatchNode(@Nullable WatchNode parent, byte[] name, int hash) {
    this.parent = parent;
    this.name = name;
    this.hash = hash;
  }

  int childCount() {
    return childCount;
  }

  /// Returns the child with the given name, or null if there is none. Allocates nothing.
  @Nullable WatchNode child(byte[] buffer, int from, int length, int hash) {
    if (childCount == 0) {
      return null;
    }
    WatchNode at = buckets[hash & (buckets.length - 1)];
    while (at != null) {
      if (at.hash == hash
          && Arrays.equals(at.name, 0, at.name.length, buffer, from, from + length)) {
        return at;
      }
      at = at.nextInBucket;
    }
    return null;
  }

  WatchNode add(byte[] childName, int childHash) {
    if (childCount >= buckets.length) {
      grow();
    }
    WatchNode child = new WatchNode(this, childName, childHash);
    push(child);
    childCount++;
    return child;
  }

  void remove(WatchNode child) {
    int bucket = child.hash & (buckets.length - 1);
    WatchNode at = buckets[bucket];
    if (at == child) {
      buckets[bucket] = child.nextInBucket;
      childCount--;
      return;
    }
    while (at != null) {
      if (at.nextInBucket == child) {
        at.nextInBucket = child.nextInBucket;
        childCount--;
        return;
      }
      at = at.nextInBucket;
    }
  }

  /// Returns any child, or null if there is none.
  @Nullable WatchNode anyChild() {
    if (childCount > 0) {
      for (WatchNode at : buckets) {
        if (at != null) {
          return at;
        }
      }
    }
    return null;
  }

  private void grow() {
    @Nullable WatchNode[] old = buckets;
    buckets = new WatchNode[Math.max(4, old.length * 2)];
    for (WatchNode head : old) {
      WatchNode at = head;
      while (at != null) {
        WatchNode next = at.nextInBucket;
        push(at);
        at = next;
      }
    }
  }

  private void push(WatchNode child) {
    int bucket = child.hash & (buckets.length - 1);
    child.nextInBucket = buckets[bucket];
    buckets[bucket] = child;
  }

  @Override
  public String toString() {
    return new String(name, java.nio.charset.StandardCharsets.UTF_8) + " wd " + wd;
  }
}
