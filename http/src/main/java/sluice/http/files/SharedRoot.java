package sluice.http.files;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.sys.SysException;

/// The descriptor and the watches of a directory, which are shared by all sites of the process that
/// are served from it. It is opened for the first site and closed with the last one. Any thread may
/// call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | OPEN, users, unwatched | any | under OPEN | under OPEN |
/// | root, watched, told | any | under this object's lock | the same |
final class SharedRoot {
  private static final String UNWATCHED =
      "changes are not watched, so each request for a file asks the file system: ";

  private static final Map<String, SharedRoot> OPEN = new HashMap<>();

  /// Set when the last attempt found no free inotify instance and a notice has reported this.
  private static boolean unwatched;

  private final String path;
  private int users;
  private @Nullable KernelRoot root;
  private @Nullable WatchedRoot watched;

  private SharedRoot(String path) {
    this.path = path;
  }

  /// Opens the files of a site.
  ///
  /// @param watches the maximum number of watches for this site, at least 2, or 0 to disable them
  /// @param notice receives a line with the reason if changes cannot be watched, once per directory
  /// @throws SysException if the directory cannot be opened
  static WatchedFiles open(Site site, int watches, Consumer<String> notice) throws SysException {
    SharedRoot shared = lease(site.root().toAbsolutePath().toString());
    try {
      KernelRoot root = shared.root();
      WatchedRoot watched = watches > 0 ? shared.watched(root, notice) : null;
      WatchTable table = null;
      if (watched != null) {
        shared.lease();
        table = WatchTable.of(watched, watches, shared::release);
      }
      return new WatchedFiles(new SiteKernelFiles(shared, root, site.symlinks()), table);
    } catch (SysException | RuntimeException | Error e) {
      shared.release();
      throw e;
    }
  }

  private static SharedRoot lease(String path) {
    synchronized (OPEN) {
      SharedRoot shared = OPEN.computeIfAbsent(path, SharedRoot::new);
      shared.users++;
      return shared;
    }
  }

  private void lease() {
    synchronized (OPEN) {
      users++;
    }
  }

  /// Releases one use of the directory, which is closed when the last use is released.
  void release() {
    synchronized (OPEN) {
      users--;
      if (users > 0) {
        return;
      }
      OPEN.remove(path);
      if (OPEN.isEmpty()) {
        unwatched = false;
      }
    }
    close();
  }

  private synchronized void close() {
    if (watched != null) {
      watched.close();
    }
    if (root != null) {
      root.close();
    }
  }

  /// Returns the open directory. It is reopened if its path now refers to another directory.
  private synchronized KernelRoot root() throws SysException {
    KernelRoot opened = root;
    if (opened == null) {
      opened = new KernelRoot(path);
      root = opened;
    } else if (opened.moved()) {
      int _ = reopen();
    }
    return opened;
  }

  /// Opens the directory that the path currently refers to, and invalidates everything that depends
  /// on the old one.
  ///
  /// @return 0, or a negated errno if no descriptor was available
  synchronized int reopen() {
    KernelRoot opened = root;
    WatchedRoot over = watched;
    if (opened == null) {
      return 0;
    }
    if (over == null) {
      return opened.reopen();
    }
    over.reopen(over.begun());
    return opened.errno();
  }

  /// @return null if no inotify instance is available
  private synchronized @Nullable WatchedRoot watched(KernelRoot of, Consumer<String> notice) {
    WatchedRoot made = watched;
    if (made == null) {
      try {
        made = WatchedRoot.open(new WatchInotify(of));
        watched = made;
        isUnwatched(false);
        String blind = made.blindBecause();
        if (blind != null) {
          notice.accept(path + ": " + UNWATCHED + blind);
        }
      } catch (SysException e) {
        if (!isUnwatched(true)) {
          notice.accept(UNWATCHED + e.getMessage());
        }
      }
    }
    return made;
  }

  /// @return the previous value
  private static boolean isUnwatched(boolean now) {
    synchronized (OPEN) {
      boolean before = unwatched;
      unwatched = now;
      return before;
    }
  }
}
