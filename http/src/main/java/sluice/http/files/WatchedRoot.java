package sluice.http.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;
import sluice.sys.Errno;

/// The names beneath a directory that sites are served from, and their watches. They are shared by
/// the [WatchTable]s of all sites and loops that serve the directory. An event requires one
/// look-up, regardless of the number of tables, and one step for each ticket that is invalidated.
///
/// Any thread may call. The root is opened without holding the lock that events require, so that an
/// unresponsive file system only blocks the loops that serve it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | tree, above, blindBecause, tables, closed | any, under `lock` | under `lock` | under `lock` |
/// | moved | any, under `lock` | volatile | volatile |
/// | begun, reopening | holder of `opening` | volatile | volatile |
///
/// Lock order: `opening`, `lock`, the lock of [SharedInotify].
final class WatchedRoot {
  private static final int MOST_ATTEMPTS = 4;

  /// The result of a step of [#cover].
  private enum Step {
    /// Nothing was done, because a concurrent change was detected.
    NONE,
    /// Another directory of the path is watched.
    EXTENDED,
    /// The ticket now depends on the whole path.
    COVERED,
    /// The path cannot be watched.
    REFUSED
  }

  /// A directory outside of the root, and the name in it that is a component of the root's path.
  ///
  /// @param wd the watch on the directory
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Above(int wd, byte[] name) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock opening = new ReentrantLock();
  private final WatchSource source;
  private final WatchTree tree;
  private final List<WatchOwner> tables = new ArrayList<>();
  private List<Above> above = new ArrayList<>();
  private boolean closed;
  private @Nullable String blindBecause;

  /// True if the root's path may refer to another directory.
  private volatile boolean moved;

  /// The number of times the root was opened, including an opening in progress.
  private volatile long begun;

  private volatile boolean reopening;

  private WatchedRoot(WatchSource source) {
    this.source = source;
    this.tree = new WatchTree(source);
  }

  /// Opens the root and watches it.
  static WatchedRoot open(WatchSource source) {
    WatchedRoot made = new WatchedRoot(source);
    source.deliverTo(made::event);
    made.reopen(made.begun);
    return made;
  }

  /// @param limit the maximum number of watches for the table
  void join(WatchOwner table, int limit) {
    lock.lock();
    try {
      tables.add(table);
      tree.changeLimit(limit);
    } finally {
      lock.unlock();
    }
  }

  /// Invalidates all tickets of a table and removes the table. Called once per table.
  void leave(WatchOwner table, int limit) {
    lock.lock();
    try {
      tree.dropAll(table);
      tables.remove(table);
      tree.changeLimit(-limit);
    } finally {
      lock.unlock();
    }
  }

  /// Returns the queue that [#read] reads.
  Object queue() {
    return source.queue();
  }

  /// Makes `ticket` depend on every directory along `path` and on its last name, even if it does
  /// not exist. This method must be called before the path is examined. It may block on the disk.
  ///
  /// @return false if changes of `path` cannot be detected (because of a symbolic link, a file
  ///   system that inotify does not support, or a lack of watches) or the ticket has been
  ///   invalidated. The answer must then be revalidated on each use or not be cached
  boolean cover(WatchTicket ticket, SitePath path) {
    int attempts = path.names() + MOST_ATTEMPTS;
    for (int attempt = 0; attempt < attempts; attempt++) {
      WatchNode at;
      int depth;
      int events;
      lock.lock();
      try {
        if (blindBecause != null || ticket.fallen() || ticket.table.closed()) {
          return false;
        }
        at = tree.root;
        depth = 0;
        if (path.isRoot()) {
          tree.connect(ticket, tree.root);
          return true;
        }
        while (depth < path.names() - 1) {
          WatchNode next = tree.child(at, path.name(depth));
          if (next == null || !next.directory) {
            break;
          }
          at = next;
          depth++;
        }
        tree.use(at);
        if (depth == path.names() - 1) {
          tree.connect(ticket, tree.childOrNew(at, path.name(depth)));
          return true;
        }
        events = at.events;
      } finally {
        lock.unlock();
      }
      Step step = extend(ticket, path, at, depth, events);
      if (step == Step.COVERED || step == Step.REFUSED) {
        return step == Step.COVERED;
      }
    }
    return false;
  }

  /// Adds the directory at `at`, or covers its name if the directory does not exist.
  private Step extend(WatchTicket ticket, SitePath path, WatchNode at, int depth, int events) {
    int fd = source.openDirectory(path.prefix(depth + 1));
    if (fd == -Errno.ENOENT || fd == -Errno.ENOTDIR) {
      lock.lock();
      try {
        if (ticket.fallen()) {
          return Step.REFUSED;
        }
        if (at.removed || at.events != events) {
          return Step.NONE;
        }
        tree.connect(ticket, tree.childOrNew(at, path.name(depth)));
        return Step.COVERED;
      } finally {
        lock.unlock();
      }
    }
    if (fd < 0) {
      return Step.REFUSED;
    }
    try {
      if (!source.sees(fd)) {
        return Step.REFUSED;
      }
      lock.lock();
      try {
        // An event since the look-up may have concerned this name, so it must be looked up again.
        if (at.removed || at.events != events) {
          return Step.NONE;
        }
        int wd = tree.addWatch(fd, WatchSource.DIRECTORY_MASK, at, ticket.table);
        if (wd < 0) {
          return Step.REFUSED;
        }
        WatchNode node = tree.childOrNew(at, path.name(depth));
        tree.bind(node, wd);
        node.directory = true;
        tree.use(node);
        return Step.EXTENDED;
      } finally {
        lock.unlock();
      }
    } finally {
      source.closeDirectory(fd);
    }
  }

  /// Watches the open file at `path`. This method must be called after [#cover] and before reading.
  ///
  /// @return false if the file cannot be watched, or the ticket has been invalidated
  boolean watchFile(WatchTicket ticket, SitePath path, int fd) {
    if (fd < 0 || !source.sees(fd)) {
      return false;
    }
    lock.lock();
    try {
      WatchNode node = tree.find(path);
      if (ticket.fallen() || node == null || !ticket.names.contains(node) || node.directory) {
        return false;
      }
      int wd = tree.addWatch(fd, WatchSource.FILE_MASK, node.parent, ticket.table);
      if (wd >= 0 && !ticket.fallen()) {
        tree.bind(node, wd);
        return true;
      }
      if (wd >= 0 && !tree.isWatched(wd)) {
        source.remove(wd); // the ticket fell when room was made
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /// Reads all queued events for all tables. If there are no events, this requires one system call
  /// and no lock.
  ///
  /// @return the number of events, including those of other roots
  int read() {
    int events = source.read();
    if (events < 0) {
      giveUp("inotify cannot be read: " + Errno.name(events));
    }
    return Math.max(events, 0);
  }

  /// Reopens the root if its path may refer to another directory, or waits while another thread
  /// does so.
  void settle() {
    if (!moved && !reopening) {
      return;
    }
    opening.lock();
    try {
      if (moved) {
        reopen(begun);
      }
    } finally {
      opening.unlock();
    }
  }

  /// Returns the number of times the root was opened, including an opening in progress.
  long begun() {
    return begun;
  }

  /// Invalidates all tickets and reopens the root, unless another reopening has begun in the
  /// meantime.
  ///
  /// @param since an earlier result of [#begun]
  void reopen(long since) {
    opening.lock();
    try {
      if (begun == since) {
        begun = since + 1;
        reopening = true;
        reopenNow();
      }
    } finally {
      reopening = false;
      opening.unlock();
    }
  }

  private void reopenNow() {
    lock.lock();
    try {
      moved = false;
      tree.dropEverything();
      tree.unwatchRoot(false);
      for (Above entry : above) {
        if (!tree.isWatched(entry.wd())) {
          source.remove(entry.wd());
        }
      }
      above = new ArrayList<>();
      blindBecause = closed ? "closed" : "the root directory is being opened";
      if (closed) {
        return;
      }
    } finally {
      lock.unlock();
    }
    int errno = source.openRoot(this::watchAbove);
    int fd = errno < 0 ? errno : source.openDirectory(SitePath.ROOT);
    if (fd < 0) {
      lock.lock();
      try {
        moved |= FileErrors.passes(-fd); // the next drain tries again
        blindBecause = "the root directory cannot be opened: " + Errno.name(fd);
      } finally {
        lock.unlock();
      }
      return;
    }
    try {
      watchRoot(fd, source.sees(fd));
    } finally {
      source.closeDirectory(fd);
    }
  }

  private void watchAbove(int fd, byte[] name) {
    lock.lock();
    try {
      int wd = source.add(fd, WatchSource.ABOVE_MASK);
      if (wd >= 0) {
        above.add(new Above(wd, name));
      }
    } finally {
      lock.unlock();
    }
  }

  private void watchRoot(int fd, boolean seen) {
    lock.lock();
    try {
      int wd = seen ? source.add(fd, WatchSource.DIRECTORY_MASK) : -1;
      if (!seen) {
        blindBecause = "inotify does not see all changes on the root's file system";
      } else if (wd < 0) {
        blindBecause = "the root directory cannot be watched: " + Errno.name(wd);
      } else {
        blindBecause = null;
        tree.watchRoot(wd);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Invalidates all tickets of one table.
  void dropAll(WatchOwner table) {
    lock.lock();
    try {
      tree.dropAll(table);
    } finally {
      lock.unlock();
    }
  }

  /// Returns the tickets of a table that were invalidated since the last call, and replaces their
  /// list by the given empty list.
  List<WatchTicket> takeFallen(WatchOwner table, List<WatchTicket> empty) {
    lock.lock();
    try {
      return table.swapFallen(empty);
    } finally {
      lock.unlock();
    }
  }

  private void event(int wd, int mask, byte[] buffer, int from, int length) {
    lock.lock();
    try {
      if ((mask & WatchSource.IN_Q_OVERFLOW) != 0) {
        if (!tables.isEmpty()) {
          tables.getFirst().overflowed();
        }
        tree.dropEverything();
      } else if (isAbove(wd, mask, buffer, from, length)) {
        moved = true;
        tree.dropEverything();
      } else if (length > 0) {
        tree.changedEntry(wd, buffer, from, length);
      } else if (tree.changedItself(wd) && (mask & WatchSource.IN_IGNORED) != 0) {
        tree.unwatchRoot(true);
        blindBecause = "the root directory is gone";
        moved = true;
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isAbove(int wd, int mask, byte[] buffer, int from, int length) {
    for (int i = 0; i < above.size(); i++) {
      Above entry = above.get(i);
      if (entry.wd() == wd
          && (mask & WatchSource.IN_ATTRIB) == 0
          && (length == 0
              || Arrays.equals(
                  entry.name(), 0, entry.name().length, buffer, from, from + length))) {
        return true;
      }
    }
    return false;
  }

  private void giveUp(String why) {
    lock.lock();
    try {
      tree.dropEverything();
      blindBecause = why;
    } finally {
      lock.unlock();
    }
  }

  void release(WatchTicket ticket) {
    lock.lock();
    try {
      tree.release(ticket);
    } finally {
      lock.unlock();
    }
  }

  /// Returns the number of watches of all tables if `asking` is the first table, and otherwise 0.
  int watches(WatchOwner asking) {
    lock.lock();
    try {
      return tables.isEmpty() || tables.getFirst() != asking ? 0 : tree.watches();
    } finally {
      lock.unlock();
    }
  }

  /// Returns the reason, for the operator, why no changes can be detected, or null if they can.
  @Nullable String blindBecause() {
    lock.lock();
    try {
      return blindBecause;
    } finally {
      lock.unlock();
    }
  }

  /// Invalidates all tickets without notifying any table, and closes the source. Idempotent.
  void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    reopen(begun); // only ends the watches now
    source.close();
  }
}
