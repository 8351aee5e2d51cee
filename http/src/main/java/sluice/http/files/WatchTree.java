package sluice.http.files;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;
import sluice.sys.Errno;

/// The names that a [WatchedRoot] knows, their watches, and the tickets that depend on them.
///
/// Guarded by the lock of its root.
final class WatchTree {
  private static final int MOST_EVICTIONS = 8;

  final WatchNode root = new WatchNode(null, new byte[0], 0);

  private final WatchSource source;
  private int limit;
  private final WatchIndex index = new WatchIndex();
  private final int seed = ThreadLocalRandom.current().nextInt();
  private final List<WatchNode> emptied = new ArrayList<>();
  private @Nullable WatchNode oldest;
  private @Nullable WatchNode newest;

  WatchTree(WatchSource source) {
    this.source = source;
  }

  /// Changes the maximum number of watches, and evicts directories if it is exceeded.
  void changeLimit(int by) {
    limit += by;
    while (index.size() > limit && evictOldest(null)) {
      // Evicts one more directory in each iteration.
    }
  }

  int watches() {
    return index.size();
  }

  boolean isWatched(int wd) {
    return index.first(wd) != null;
  }

  /// Handles an event that refers to an entry of the directory watched by `wd`.
  void changedEntry(int wd, byte[] buffer, int from, int length) {
    int hash = hash(buffer, from, length);
    WatchNode node = index.first(wd);
    while (node != null) {
      node.events++;
      WatchNode child = node.child(buffer, from, length, hash);
      if (child == null) {
        node = node.nextOfWatch;
      } else {
        drop(child);
        node = index.first(wd); // the chain may have changed
      }
    }
  }

  /// Handles a change of the object watched by `wd` itself.
  ///
  /// @return true if the object is the root
  boolean changedItself(int wd) {
    WatchNode node = index.first(wd);
    while (node != null && node != root) {
      drop(node);
      node = index.first(wd);
    }
    if (node == null) {
      return false;
    }
    dropEverything();
    return true;
  }

  void watchRoot(int wd) {
    root.directory = true;
    index.bind(root, wd);
  }

  /// @param ended true if the kernel has already removed the watch
  void unwatchRoot(boolean ended) {
    if (ended) {
      index.unbind(root);
    } else {
      index.unbindAndRemove(root, source);
    }
  }

  /// Invalidates every ticket and removes every name except the root.
  void dropEverything() {
    root.events++;
    letFall(root);
    for (WatchNode child = root.anyChild(); child != null; child = root.anyChild()) {
      dropTree(child);
    }
    prune();
  }

  private void drop(WatchNode node) {
    dropTree(node);
    prune();
  }

  private void dropTree(WatchNode node) {
    for (WatchNode child = node.anyChild(); child != null; child = node.anyChild()) {
      dropTree(child);
    }
    letFall(node);
    remove(node);
  }

  private void letFall(WatchNode node) {
    for (int i = node.tickets.size() - 1; i >= 0; i--) {
      letFall(node.tickets.get(i));
    }
  }

  private void letFall(WatchTicket ticket) {
    ticket.fall();
    disconnect(ticket);
    ticket.table.fell(ticket);
  }

  /// Removes a ticket from its names, in a time that is independent of the number of tickets per
  /// name.
  private void disconnect(WatchTicket ticket) {
    for (int i = 0; i < ticket.names.size(); i++) {
      WatchNode name = ticket.names.get(i);
      WatchTicket last = name.tickets.removeLast();
      if (last != ticket) {
        name.tickets.set(ticket.place(i), last);
        last.moved(name, ticket.place(i));
      }
      if (name.tickets.isEmpty()) {
        emptied.add(name);
      }
    }
    ticket.names.clear();
    ticket.table.disconnected(ticket);
  }

  /// Removes names on which no ticket depends. Directories retain their watch until it is needed
  /// for another one.
  private void prune() {
    for (int i = 0; i < emptied.size(); i++) {
      WatchNode name = emptied.get(i);
      if (!name.removed && name.tickets.isEmpty() && !name.directory && name != root) {
        remove(name);
      }
    }
    emptied.clear();
  }

  private void remove(WatchNode node) {
    if (node.removed) {
      return;
    }
    node.removed = true;
    index.unbindAndRemove(node, source);
    unlinkFromUse(node);
    if (node.parent != null) {
      node.parent.remove(node);
    }
  }

  void connect(WatchTicket ticket, WatchNode node) {
    if (!ticket.names.contains(node)) {
      node.tickets.add(ticket);
      ticket.add(node);
      ticket.table.connected(ticket);
    }
  }

  /// Invalidates all tickets of one table.
  void dropAll(WatchOwner table) {
    for (WatchTicket ticket = table.anyTicket(); ticket != null; ticket = table.anyTicket()) {
      letFall(ticket);
    }
    prune();
  }

  /// Removes the dependences of a ticket.
  void release(WatchTicket ticket) {
    disconnect(ticket);
    ticket.fall();
    prune();
  }

  /// Adds a watch, evicting others if necessary. `keep` and its ancestors are not evicted.
  ///
  /// @param asking the table for which these evictions and shortages are counted
  int addWatch(int fd, int mask, @Nullable WatchNode keep, WatchOwner asking) {
    use(keep);
    int wd = source.add(fd, mask);
    for (int round = 0; ; round++) {
      boolean shared = wd >= 0 && index.first(wd) != null;
      if (shared || (wd >= 0 && index.size() < limit)) {
        return wd;
      }
      boolean full = wd >= 0 || wd == -Errno.ENOSPC;
      if (!full || round == MOST_EVICTIONS || !evictOldest(keep, asking)) {
        if (wd >= 0) {
          source.remove(wd);
        }
        if (full) {
          asking.shortage();
        }
        return wd < 0 ? wd : -Errno.ENOSPC;
      }
      if (wd < 0) {
        wd = source.add(fd, mask);
      }
    }
  }

  private boolean evictOldest(@Nullable WatchNode keep, WatchOwner asking) {
    boolean evicted = evictOldest(keep);
    if (evicted) {
      asking.evicted();
    }
    return evicted;
  }

  private boolean evictOldest(@Nullable WatchNode keep) {
    WatchNode victim = oldest;
    if (victim == null) {
      return false;
    }
    for (WatchNode at = keep; at != null; at = at.parent) {
      if (at == victim) {
        return false;
      }
    }
    drop(victim);
    return true;
  }

  void bind(WatchNode node, int wd) {
    if (node.wd != wd) {
      index.unbindAndRemove(node, source);
      index.bind(node, wd);
    }
  }

  /// Marks a directory and its ancestors as most recently used. Since an ancestor is never older
  /// than the names beneath it, the oldest directory is always a leaf among the directories.
  void use(@Nullable WatchNode node) {
    for (WatchNode at = node; at != null; at = at.parent) {
      touch(at);
    }
  }

  private void touch(WatchNode node) {
    if (node == root || node == newest || !node.directory) {
      return;
    }
    unlinkFromUse(node);
    node.older = newest;
    if (newest != null) {
      newest.newer = node;
    }
    newest = node;
    if (oldest == null) {
      oldest = node;
    }
  }

  private void unlinkFromUse(WatchNode node) {
    if (node.older != null) {
      node.older.newer = node.newer;
    }
    if (node.newer != null) {
      node.newer.older = node.older;
    }
    if (oldest == node) {
      oldest = node.newer;
    }
    if (newest == node) {
      newest = node.older;
    }
    node.older = null;
    node.newer = null;
  }

  @Nullable WatchNode child(WatchNode node, byte[] name) {
    return node.child(name, 0, name.length, hash(name, 0, name.length));
  }

  WatchNode childOrNew(WatchNode node, byte[] name) {
    WatchNode child = child(node, name);
    return child == null ? node.add(name, hash(name, 0, name.length)) : child;
  }

  @Nullable WatchNode find(SitePath path) {
    WatchNode at = root;
    for (int i = 0; i < path.names() && at != null; i++) {
      at = child(at, path.name(i));
    }
    return at;
  }

  /// Hashes a name with a random seed, because names are taken from requests.
  private int hash(byte[] bytes, int from, int length) {
    int hash = seed;
    for (int i = from; i < from + length; i++) {
      hash = (hash ^ (bytes[i] & 0xff)) * 0x01000193;
      hash ^= hash >>> 15;
    }
    return (hash * 0x9E3779B1) >>> 3;
  }
}
