package sluice.http.files;

import org.jspecify.annotations.Nullable;

/// A map from a watch number to the nodes of that watch. It uses open addressing for efficiency,
/// because a drain looks up every event.
///
/// Guarded by the lock of its [WatchTable].
final class WatchIndex {
  private static final int FREE = -1;

  private int[] keys = fresh(64);
  private @Nullable WatchNode[] heads = new WatchNode[64];
  private int size;

  private static int[] fresh(int capacity) {
    int[] keys = new int[capacity];
    java.util.Arrays.fill(keys, FREE);
    return keys;
  }

  /// Returns the number of watches.
  int size() {
    return size;
  }

  /// Returns the first node of a watch, or null if there is none. The other nodes are linked by
  /// `nextOfWatch`.
  @Nullable WatchNode first(int wd) {
    return heads[slot(wd)];
  }

  void bind(WatchNode node, int wd) {
    if (size * 2 >= keys.length) {
      grow();
    }
    int slot = slot(wd);
    if (keys[slot] == FREE) {
      keys[slot] = wd;
      size++;
    }
    node.wd = wd;
    node.nextOfWatch = heads[slot];
    heads[slot] = node;
  }

  /// Detaches a node from its watch, and removes the watch if no other node uses it.
  void unbindAndRemove(WatchNode node, WatchSource source) {
    int wd = node.wd;
    if (unbind(node)) {
      source.remove(wd);
    }
  }

  /// Detaches a node from its watch.
  ///
  /// @return true if no other node uses the watch
  boolean unbind(WatchNode node) {
    int wd = node.wd;
    if (wd == WatchNode.NO_WATCH) {
      return false;
    }
    int slot = slot(wd);
    WatchNode at = heads[slot];
    if (at == node) {
      heads[slot] = node.nextOfWatch;
    } else {
      while (at != null && at.nextOfWatch != node) {
        at = at.nextOfWatch;
      }
      if (at != null) {
        at.nextOfWatch = node.nextOfWatch;
      }
    }
    node.wd = WatchNode.NO_WATCH;
    node.nextOfWatch = null;
    if (heads[slot] != null) {
      return false;
    }
    free(slot);
    return true;
  }

  private int slot(int wd) {
    int mask = keys.length - 1;
    int at = ((wd * 0x9E3779B1) >>> 7) & mask;
    while (keys[at] != wd && keys[at] != FREE) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /// Frees a slot and moves the entries that follow it, so that searches can end at the first free
  /// slot.
  private void free(int slot) {
    keys[slot] = FREE;
    heads[slot] = null;
    size--;
    int mask = keys.length - 1;
    for (int at = (slot + 1) & mask; keys[at] != FREE; at = (at + 1) & mask) {
      int key = keys[at];
      WatchNode head = heads[at];
      keys[at] = FREE;
      heads[at] = null;
      int home = slot(key);
      keys[home] = key;
      heads[home] = head;
    }
  }

  private void grow() {
    int[] oldKeys = keys;
    @Nullable WatchNode[] oldHeads = heads;
    keys = fresh(oldKeys.length * 2);
    heads = new WatchNode[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != FREE) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        heads[slot] = oldHeads[i];
      }
    }
  }
}
