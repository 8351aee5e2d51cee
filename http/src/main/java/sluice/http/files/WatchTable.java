package sluice.http.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;
import sluice.sys.Errno;

/// Knows which names beneath the root have changed since an answer depended on them, so that a
/// cache hit needs no `stat`.
///
/// Belongs to one loop: its thread drains; fills on other threads add dependences under a lock that
/// a drain takes only when there are events.
///
/// **What holds.** inotify queues an event before the system call that made the change returns. So
/// after [#drain] on a request that was received later than that return, every ticket that depends
/// on the changed name has fallen. A ticket is made and linked to its names *before* anything is
/// opened; whatever happens afterwards is in the queue. The owner keeps an answer only when its
/// ticket has not fallen after a drain that came later than the fill.
///
/// **What is watched.** Each directory from the root to the file, for renames of ancestors and for
/// names that come and go; and each file's inode, for writes by whatever name (hard links). A
/// directory is watched first and looked into afterwards. Above the root, every directory that
/// decides where the configured path leads is watched too, so a root that is a symbolic link can be
/// switched.
///
/// **What is not seen:** stores into shared file mappings (`mmap`), changes below an overlay,
/// mounts over a served directory, and file systems where changes come from elsewhere (NFS, FUSE,
/// …). For the last, and where watches run out, [#cover] refuses and each hit revalidates.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | tree, above, blindBecause | any, under `lock` | under `lock` | under `lock` |
/// | delivering, rootMoved | owner | plain | plain |
///
/// Limits: `limit` watches; the least recently used directory gives way, and what depends on it
/// falls.
public final class WatchTable implements AutoCloseable {
  private static final int MOST_ATTEMPTS = 4;

  /// What a step of [#cover] has done.
  private enum Step {
    /// Nothing, as something has changed meanwhile.
    NONE,
    /// One more directory is watched.
    EXTENDED,
    /// The ticket depends on the whole path.
    COVERED,
    /// The path cannot be watched.
    REFUSED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final WatchSource source;
  private final WatchTree tree;
  private final WatchSource.Sink sink = this::event;

  private List<WatchSource.Above> above = List.of();
  private List<WatchTicket> delivering = new ArrayList<>();
  private boolean rootMoved;
  private boolean closed;
  private @Nullable String blindBecause;
  private final AtomicLong overflows = new AtomicLong();

  /// @param limit most watches held at one time, at least 2
  public WatchTable(WatchSource source, int limit) {
    if (limit < 2) {
      throw new IllegalArgumentException("limit must be at least 2: " + limit);
    }
    this.source = source;
    this.tree = new WatchTree(source, limit);
    lock.lock();
    try {
      watchRoot();
    } finally {
      lock.unlock();
    }
  }

  /// A dependence on nothing yet. Any thread.
  WatchTicket ticket() {
    return new WatchTicket(this);
  }

  /// Makes `ticket` depend on `path`: on every directory that leads there and on the last name,
  /// whether it exists or not. Call it before looking at the path. May wait for the disk. Any
  /// thread but the owner.
  ///
  /// @return false when changes of `path` cannot be seen here (a symbolic link in it, a file system
  ///   inotify is blind on, no watches left) or the ticket has fallen; the answer must be
  ///   revalidated on each use then, or not be kept
  boolean cover(WatchTicket ticket, SitePath path) {
    int attempts = path.names() + MOST_ATTEMPTS;
    for (int attempt = 0; attempt < attempts; attempt++) {
      WatchNode at;
      int depth;
      int events;
      lock.lock();
      try {
        if (blindBecause != null || ticket.fallen()) {
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

  /// Adds the directory behind `at`, or covers its name when there is none.
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
        // An event since the look may have been about this name: look again.
        if (at.removed || at.events != events) {
          return Step.NONE;
        }
        int wd = tree.addWatch(fd, WatchSource.DIRECTORY_MASK, at);
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

  /// Watches the open file that `path` was found to lead to. Call it after [#cover], before
  /// reading. Any thread but the owner.
  ///
  /// @return false when it cannot be watched, or the ticket has fallen
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
      int wd = tree.addWatch(fd, WatchSource.FILE_MASK, node.parent);
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

  /// Takes in every event queued so far and tells `listener` what fell. Owner only; allocates
  /// nothing. With no event this is one system call and no lock.
  ///
  /// @return number of events
  public int drain(WatchListener listener) {
    int events = source.read(sink);
    if (events < 0) {
      giveUp("inotify cannot be read: " + Errno.name(events));
    }
    if (rootMoved) {
      reopenRoot();
    }
    if (tree.hasFallen()) {
      deliver(listener);
    }
    return Math.max(events, 0);
  }

  /// Lets everything fall and looks again where the root's path leads: as after a change that
  /// inotify does not see, such as a mount over the root. Owner only; the listener is told before
  /// this returns.
  public void forget(WatchListener listener) {
    reopenRoot();
    deliver(listener);
  }

  /// Lets everything fall; the listener is told by the next drain. Any thread.
  void dropAll() {
    lock.lock();
    try {
      tree.dropEverything();
    } finally {
      lock.unlock();
    }
  }

  private void deliver(WatchListener listener) {
    lock.lock();
    try {
      delivering = tree.takeFallen(delivering);
    } finally {
      lock.unlock();
    }
    for (int i = 0; i < delivering.size(); i++) {
      listener.fell(delivering.get(i));
    }
    delivering.clear();
  }

  private void event(int wd, int mask, byte[] buffer, int from, int length) {
    lock.lock();
    try {
      if ((mask & WatchSource.IN_Q_OVERFLOW) != 0) {
        overflows.incrementAndGet();
        tree.dropEverything();
      } else if (isAbove(wd, mask, buffer, from, length)) {
        rootMoved = true;
        tree.dropEverything();
      } else if (length > 0) {
        tree.changedEntry(wd, buffer, from, length);
      } else if (tree.changedItself(wd) && (mask & WatchSource.IN_IGNORED) != 0) {
        tree.unwatchRoot(true);
        blindBecause = "the root directory is gone";
        rootMoved = true;
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isAbove(int wd, int mask, byte[] buffer, int from, int length) {
    for (int i = 0; i < above.size(); i++) {
      WatchSource.Above entry = above.get(i);
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

  private void reopenRoot() {
    lock.lock();
    try {
      rootMoved = false;
      tree.dropEverything();
      tree.unwatchRoot(false);
      for (WatchSource.Above entry : above) {
        if (!tree.isWatched(entry.wd())) {
          source.remove(entry.wd());
        }
      }
      watchRoot();
    } finally {
      lock.unlock();
    }
  }

  private void watchRoot() {
    blindBecause = null;
    WatchSource.Root opened = source.openRoot();
    above = opened.above();
    int fd = opened.errno() < 0 ? opened.errno() : source.openDirectory(SitePath.ROOT);
    if (fd < 0) {
      rootMoved = FileErrors.passes(-fd); // then the next drain tries again
      blindBecause = "the root directory cannot be opened: " + Errno.name(fd);
      return;
    }
    try {
      int wd = -1;
      if (source.sees(fd)) {
        wd = source.add(fd, WatchSource.DIRECTORY_MASK);
        if (wd < 0) {
          blindBecause = "the root directory cannot be watched: " + Errno.name(wd);
        }
      } else {
        blindBecause = "inotify does not see all changes on the root's file system";
      }
      if (wd >= 0) {
        tree.watchRoot(wd);
      }
    } finally {
      source.closeDirectory(fd);
    }
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

  /// Watches held now.
  public int watches() {
    lock.lock();
    try {
      return tree.watches();
    } finally {
      lock.unlock();
    }
  }

  /// Times the kernel lost events and everything fell.
  public long overflows() {
    return overflows.get();
  }

  /// Directories that gave way, and all that was kept ready beneath them, because the limit of
  /// watches was reached: ours or the system's. Any thread.
  public long evictions() {
    return tree.evictions();
  }

  /// Times that did not help, so that each use of an answer must be revalidated. Any thread.
  public long shortages() {
    return tree.shortages();
  }

  /// Why nothing can be covered at all, for the operator; null when changes are seen.
  @Nullable String blindBecause() {
    lock.lock();
    try {
      return blindBecause;
    } finally {
      lock.unlock();
    }
  }

  /// Lets everything fall, without telling the listener, and closes the source. Idempotent.
  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        tree.dropEverything();
        blindBecause = "closed";
        source.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
