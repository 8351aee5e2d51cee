package sluice.http.files;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.sys.SysException;

/// What all sites of the process have in common that are served from one directory: its descriptor
/// and its watches. Opened for the first site, closed with the last. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | OPEN, users, unwatched | any | under OPEN | under OPEN |
/// | root, watched, told | any | under this object's lock | the same |
final class SharedRoot {
  private static final String UNWATCHED =
      "changes are not watched, so each request for a file asks the file system: ";

  private static final Map<String, SharedRoot> OPEN = new HashMap<>();

  /// There was no inotify instance when one was last wanted, and a line has said so.
  private static boolean unwatched;

  private final String path;
  private int users;
  private @Nullable KernelRoot root;
  private @Nullable WatchedRoot watched;

  private SharedRoot(String path) {
    this.path = path;
  }

  /// @param watches most watches for this site, at least 2; 0 for none
  /// @param notice told, in one line, that changes are not watched, and why: once for a directory
  /// @throws SysException when the directory cannot be opened
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

  /// Gives up one use.
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

  /// Returns the directory that its path leads to now.
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

  /// Lets the directory be what its path leads to now, and all that depends on the old one fall.
  ///
  /// @return 0, or a negated errno when there was no descriptor for it
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

  /// @return null when there is no inotify instance to be had
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

  /// @return what was said last
  private static boolean isUnwatched(boolean now) {
    synchronized (OPEN) {
      boolean before = unwatched;
      unwatched = now;
      return before;
    }
  }
}
