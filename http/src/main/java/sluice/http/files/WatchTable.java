package sluice.http.files;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// Knows which names beneath the root have changed since an answer depended on them, so that a
/// cache hit needs no `stat`.
///
/// Belongs to one loop: its thread drains; fills on other threads add dependences. The watches are
/// those of the [WatchedRoot], which all sites and loops of the directory share.
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
/// | forgetSince | any | volatile | volatile |
/// | delivering | owner | plain | plain |
///
/// Limits: the tables of a root have the sum of their `limit` watches; the least recently used
/// directory gives way, and what depends on it falls.
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

  /// A table of a shared root.
  ///
  /// @param limit most watches held for it at one time, at least 2
  /// @param onClose gives the root back; runs once
  static WatchTable of(WatchedRoot root, int limit, Runnable onClose) {
    WatchTable made = new WatchTable(root, limit, onClose);
    root.join(made, limit);
    return made;
  }

  /// A table with a root of its own.
  ///
  /// @param limit most watches held at one time, at least 2
  public static WatchTable alone(WatchSource source, int limit) {
    WatchedRoot root = WatchedRoot.open(source);
    return of(root, limit, root::close);
  }

  /// A dependence on nothing yet. Any thread.
  WatchTicket ticket() {
    return new WatchTicket(this);
  }

  /// As [WatchedRoot#cover]. Any thread but the owner.
  boolean cover(WatchTicket ticket, SitePath path) {
    return root.cover(ticket, path);
  }

  /// As [WatchedRoot#watchFile]. Any thread but the owner.
  boolean watchFile(WatchTicket ticket, SitePath path, int fd) {
    return root.watchFile(ticket, path, fd);
  }

  /// What [#drain] reads: once it has been read for one table, [#takeIn] is enough for others that
  /// have the same.
  public Object queue() {
    return root.queue();
  }

  /// Takes in every event queued so far and tells `listener` what fell. Owner only; allocates
  /// nothing. With no event this is one system call and no lock.
  ///
  /// @return number of events
  public int drain(WatchListener listener) {
    int events = root.read();
    takeIn(listener);
    return events;
  }

  /// Tells `listener` what fell by the events that were read, for whichever table. Owner only.
  public void takeIn(WatchListener listener) {
    root.settle();
    if (hasFallen) {
      deliver(listener);
    }
  }

  /// Says that [#forget] is about to be called, which opens the root no earlier than now: once for
  /// all tables that are told of it at one time. Any thread.
  public void expectForget() {
    forgetSince = root.begun();
  }

  /// Lets everything fall and looks again where the root's path leads: as after a change that
  /// inotify does not see, such as a mount over the root. Owner only; the listener is told before
  /// this returns.
  public void forget(WatchListener listener) {
    long since = forgetSince;
    root.reopen(since == NEVER ? root.begun() : since);
    root.dropAll(this);
    takeIn(listener);
  }

  /// Lets everything fall; the listener is told by the next drain. Any thread.
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

  /// Watches held now. Those of a root are counted by one of its tables.
  public int watches() {
    return root.watches(this);
  }

  /// Times the kernel lost events and everything fell. Those of a root are counted by one of its
  /// tables. Any thread.
  public long overflows() {
    return overflows.get();
  }

  /// Directories that gave way for this table, and all that was kept ready beneath them, because
  /// the limit of watches was reached: ours or the system's. Any thread.
  public long evictions() {
    return evictions.get();
  }

  /// Times that did not help, so that each use of an answer must be revalidated. Any thread.
  public long shortages() {
    return shortages.get();
  }

  /// Why nothing can be covered at all, for the operator; null when changes are seen.
  @Nullable String blindBecause() {
    return root.blindBecause();
  }

  /// Lets everything fall, without telling the listener. Idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      root.leave(this, limit);
      onClose.run();
    }
  }
}
