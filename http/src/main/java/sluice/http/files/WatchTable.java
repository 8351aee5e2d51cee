package sluice.http.files;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// Records which names beneath the root have changed since an answer depended on them, so that a
/// cache hit needs no `stat`.
///
/// A table belongs to one loop, whose thread drains it, while fills on other threads add
/// dependences. The watches belong to the [WatchedRoot], which is shared by all sites and loops of
/// the directory.
///
/// **Guarantee.** inotify queues an event before the system call that made the change returns. A
/// request that was received after that return is therefore preceded by the event: after a
/// subsequent [#drain], every ticket that depends on the changed name has been invalidated. A
/// ticket is created and linked to its names *before* anything is opened, so all later changes are
/// in the queue. The owner only caches an answer if its ticket is still valid after a drain that
/// follows the fill.
///
/// **Watched:** each directory from the root to the file, to detect renames of ancestors and names
/// that are created or deleted, and the inode of each file, to detect writes through any of its
/// names (hard links). A directory is watched before it is read. Every directory above the root
/// that affects the resolution of the configured path is also watched, so that a root that is a
/// symbolic link can be switched.
///
/// **Not detected:** stores into shared file mappings (`mmap`), changes below an overlay, mounts
/// over a served directory, and changes to file systems that are modified remotely (NFS, FUSE, …).
/// For such file systems, and if no watches are left, [#cover] returns false and each hit is
/// revalidated.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | forgetSince | any | volatile | volatile |
/// | delivering | owner | plain | plain |
///
/// Limits: the tables of a root share the sum of their `limit` watches. When this limit is reached,
/// the least recently used directory is evicted, and the tickets that depend on it are invalidated.
public final class WatchTable extends WatchOwner implements AutoCloseable {
  private static final long NEVER = -1;

  private final WatchedRoot root;
  private final int limit;
  private final Runnable onClose;
  private List<WatchTicket> delivering = new ArrayList<>();
  private volatile long forgetSince = NEVER;

  private WatchTable(WatchedRoot root, int limit, Runnable onClose) {
    if (limit < 2) {
      throw new IllegalArgumentException("limit must be at least 2: " + limit);
    }
    this.root = root;
    this.limit = limit;
    this.onClose = onClose;
  }

  /// Returns a table for a shared root.
  ///
  /// @param limit the maximum number of watches for this table, at least 2
  /// @param onClose releases the root and is invoked once
  static WatchTable of(WatchedRoot root, int limit, Runnable onClose) {
    WatchTable made = new WatchTable(root, limit, onClose);
    root.join(made, limit);
    return made;
  }

  /// Returns a table with its own root.
  ///
  /// @param limit the maximum number of watches, at least 2
  public static WatchTable alone(WatchSource source, int limit) {
    WatchedRoot root = WatchedRoot.open(source);
    return of(root, limit, root::close);
  }

  /// Returns a new ticket without dependences. Any thread may call.
  WatchTicket ticket() {
    return new WatchTicket(this);
  }

  /// Makes a ticket depend on a path. See [WatchedRoot#cover]. Any thread except the owner may
  /// call.
  boolean cover(WatchTicket ticket, SitePath path) {
    return root.cover(ticket, path);
  }

  /// Watches an open file. See [WatchedRoot#watchFile]. Any thread except the owner may call.
  boolean watchFile(WatchTicket ticket, SitePath path, int fd) {
    return root.watchFile(ticket, path, fd);
  }

  /// Returns the queue that [#drain] reads. After it has been read for one table, it is sufficient
  /// to call [#takeIn] for other tables with the same queue.
  public Object queue() {
    return root.queue();
  }

  /// Reads all queued events and passes the invalidated tickets to `listener`. Only the owner may
  /// call. This method allocates nothing. If there are no events, it requires one system call and
  /// no lock.
  ///
  /// @return the number of events
  public int drain(WatchListener listener) {
    int events = root.read();
    takeIn(listener);
    return events;
  }

  /// Passes the tickets that were invalidated by events already read, for any table, to `listener`.
  /// Only the owner may call.
  public void takeIn(WatchListener listener) {
    root.settle();
    if (hasFallen) {
      deliver(listener);
    }
  }

  /// Announces a call of [#forget], which may then use any reopening of the root that starts from
  /// now on. A single reopening serves all tables that are notified at the same time. Any thread
  /// may call.
  public void expectForget() {
    forgetSince = root.begun();
  }

  /// Invalidates all tickets and reopens the root by its path. This method must be called after a
  /// change that inotify does not report, such as a mount over the root. Only the owner may call.
  /// The listener is invoked before this method returns.
  public void forget(WatchListener listener) {
    long since = forgetSince;
    root.reopen(since == NEVER ? root.begun() : since);
    root.dropAll(this);
    takeIn(listener);
  }

  /// Invalidates all tickets, which the next drain passes to the listener. Any thread may call.
  void dropAll() {
    root.dropAll(this);
  }

  private void deliver(WatchListener listener) {
    delivering = root.takeFallen(this, delivering);
    for (int i = 0; i < delivering.size(); i++) {
      listener.fell(delivering.get(i));
    }
    delivering.clear();
  }

  @Override
  void release(WatchTicket ticket) {
    root.release(ticket);
  }

  // ---- counts ---------------------------------------------------------------------------------

  /// Returns the current number of watches. They are only counted by one table of a root.
  public int watches() {
    return root.watches(this);
  }

  /// Returns the number of times that the kernel lost events, which invalidates all tickets. They
  /// are only counted by one table of a root. Any thread may call.
  public long overflows() {
    return overflows.get();
  }

  /// Returns the number of directories that were evicted for this table, along with everything
  /// cached beneath them, because the limit of watches of this table or the system was reached. Any
  /// thread may call.
  public long evictions() {
    return evictions.get();
  }

  /// Returns the number of times that eviction was insufficient, so that each use of an answer must
  /// be revalidated. Any thread may call.
  public long shortages() {
    return shortages.get();
  }

  /// Returns the reason, for the operator, why no changes can be detected, or null if they can.
  @Nullable String blindBecause() {
    return root.blindBecause();
  }

  /// Invalidates all tickets without invoking the listener. Idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      root.leave(this, limit);
      onClose.run();
    }
  }
}
