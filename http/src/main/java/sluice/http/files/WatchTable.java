package sluice.http.files;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// Records which names beneath the root have changed since an answer depended on them, so that a
/// cache hit needs no `stat`.
///
/// Belongs to one loop: its thread drains; fills on other threads add dependences. The watches
/// belong to the [WatchedRoot], which all sites and loops of the directory share.
///
/// **Guarantee.** inotify queues an event before the system call that made the change returns. A
/// request that was received after that return is therefore preceded by the event: after a [#drain]
/// for it, every ticket that depends on the changed name has fallen. A ticket is made and linked to
/// its names *before* anything is opened; all later changes are in the queue. The owner keeps an
/// answer only if its ticket has not fallen after a drain that came later than the fill.
///
/// **Watched:** each directory from the root to the file, for renames of ancestors and for names
/// that appear and disappear; and each file's inode, for writes through any of its names (hard
/// links). A directory is watched first and read afterwards. Every directory above the root that
/// decides where the configured path leads is watched too, so a root that is a symbolic link can be
/// switched.
///
/// **Not seen:** stores into shared file mappings (`mmap`), changes below an overlay, mounts over a
/// served directory, and file systems where changes come from elsewhere (NFS, FUSE, …). For the
/// last, and when watches run out, [#cover] refuses and each hit revalidates.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | forgetSince | any | volatile | volatile |
/// | delivering | owner | plain | plain |
///
/// Limits: the tables of a root share the sum of their `limit` watches. When it is used up, the
/// least recently used directory is evicted, and the tickets that depend on it fall.
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

  /// Returns a table of a shared root.
  ///
  /// @param limit the greatest number of watches held for it at one time, at least 2
  /// @param onClose gives the root back; runs once
  static WatchTable of(WatchedRoot root, int limit, Runnable onClose) {
    WatchTable made = new WatchTable(root, limit, onClose);
    root.join(made, limit);
    return made;
  }

  /// Returns a table with a root of its own.
  ///
  /// @param limit the greatest number of watches held at one time, at least 2
  public static WatchTable alone(WatchSource source, int limit) {
    WatchedRoot root = WatchedRoot.open(source);
    return of(root, limit, root::close);
  }

  /// Returns a new ticket without dependences. Any thread.
  WatchTicket ticket() {
    return new WatchTicket(this);
  }

  /// Makes a ticket depend on a path; see [WatchedRoot#cover]. Any thread but the owner.
  boolean cover(WatchTicket ticket, SitePath path) {
    return root.cover(ticket, path);
  }

  /// Watches an open file; see [WatchedRoot#watchFile]. Any thread but the owner.
  boolean watchFile(WatchTicket ticket, SitePath path, int fd) {
    return root.watchFile(ticket, path, fd);
  }

  /// Returns the queue that [#drain] reads. Once it has been read for one table, [#takeIn] is
  /// enough for the other tables of the same queue.
  public Object queue() {
    return root.queue();
  }

  /// Reads every event queued so far and passes the fallen tickets to `listener`. Owner only;
  /// allocates nothing. Without an event this is one system call and no lock.
  ///
  /// @return the number of events
  public int drain(WatchListener listener) {
    int events = root.read();
    takeIn(listener);
    return events;
  }

  /// Passes the tickets to `listener` that fell by events already read, for any table. Owner only.
  public void takeIn(WatchListener listener) {
    root.settle();
    if (hasFallen) {
      deliver(listener);
    }
  }

  /// Announces a call of [#forget], which may then use any opening of the root from now on: one
  /// opening serves all tables that are told at the same time. Any thread.
  public void expectForget() {
    forgetSince = root.begun();
  }

  /// Drops all tickets and reopens the root by its path. To be called after a change that inotify
  /// does not report, such as a mount over the root. Owner only; the listener is called before this
  /// returns.
  public void forget(WatchListener listener) {
    long since = forgetSince;
    root.reopen(since == NEVER ? root.begun() : since);
    root.dropAll(this);
    takeIn(listener);
  }

  /// Drops all tickets; the next drain calls the listener. Any thread.
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

  /// Returns the number of watches held now. Only one table of a root counts them.
  public int watches() {
    return root.watches(this);
  }

  /// Returns how many times the kernel lost events, so that all tickets fell. Only one table of a
  /// root counts them. Any thread.
  public long overflows() {
    return overflows.get();
  }

  /// Returns how many directories were evicted for this table, with everything cached beneath them,
  /// because the limit of watches was reached: this table's or the system's. Any thread.
  public long evictions() {
    return evictions.get();
  }

  /// Returns how many times eviction did not help, so that each use of an answer must be
  /// revalidated. Any thread.
  public long shortages() {
    return shortages.get();
  }

  /// Returns the reason for the operator why nothing can be covered at all; null if changes are
  /// seen.
  @Nullable String blindBecause() {
    return root.blindBecause();
  }

  /// Drops all tickets without calling the listener. Idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      root.leave(this, limit);
      onClose.run();
    }
  }
}
