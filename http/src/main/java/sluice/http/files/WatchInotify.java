package sluice.http.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import sluice.http.site.SitePath;
import sluice.sys.Files;
import sluice.sys.StatFs;
import sluice.sys.SysException;

/// An inotify source for a directory that sites are served from. The threading rules are those of
/// [WatchSource].
///
/// Directories and files are watched by descriptor (through `/proc/self/fd`), so that a watch
/// refers to the object that was opened even if its name has changed. Directories above the root
/// are watched by name. Each of them is watched before the next component of the path is looked up.
///
/// Limits: at most 40 symbolic links in the path of the root, as in the kernel. Directories above
/// the root that this user is not permitted to read are not watched, so renames in them are not
/// detected.
final class WatchInotify implements WatchSource {
  private static final int MOST_LINKS = 40;

  private static final long F2FS_SUPER_MAGIC = 0xF2F52010L;
  private static final long RAMFS_MAGIC = 0x858458F6L;

  private final KernelRoot root;
  private final SharedInotify inotify;
  private final StatFs fileSystem = new StatFs();
  private volatile Sink sink = (wd, mask, name, from, length) -> {};

  /// @throws SysException `EMFILE` if the user's limit of inotify instances has been reached
  WatchInotify(KernelRoot root) throws SysException {
    this.root = root;
    this.inotify = SharedInotify.lease(this);
  }

  @Override
  public void deliverTo(Sink to) {
    sink = to;
  }

  /// Delivers an event for one of the watches or for the queue.
  void deliver(int wd, int mask, byte[] name, int length) {
    sink.event(wd, mask, name, 0, length);
  }

  @Override
  public int openRoot(Above above) {
    int errno = 0;
    Deque<String> ahead = new ArrayDeque<>();
    Path at = start(Path.of(root.path()), ahead, Path.of("/"));
    int links = 0;
    while (!ahead.isEmpty() && links <= MOST_LINKS) {
      String next = ahead.removeFirst();
      if (next.equals("..")) {
        at = at.getParent() == null ? at : at.getParent();
      } else if (!next.equals(".") && !next.isEmpty()) {
        int result = watchAbove(at, next, above);
        errno = result < 0 ? result : errno;
        Path step = at.resolve(next);
        at = step;
        if (java.nio.file.Files.isSymbolicLink(step)) {
          links++;
          at = follow(step, ahead);
        }
      }
    }
    int reopened = root.reopen();
    return reopened < 0 ? reopened : errno;
  }

  private static Path follow(Path link, Deque<String> ahead) {
    Path directory = link.getParent() == null ? Path.of("/") : link.getParent();
    try {
      return start(java.nio.file.Files.readSymbolicLink(link), ahead, directory);
    } catch (IOException e) {
      return link; // it changed just now, and the watch has seen that
    }
  }

  /// Prepends the names of `path` to `ahead`, and returns the directory from which they are
  /// resolved.
  private static Path start(Path path, Deque<String> ahead, Path directory) {
    for (int i = path.getNameCount() - 1; i >= 0; i--) {
      ahead.addFirst(path.getName(i).toString());
    }
    return path.isAbsolute() ? Path.of("/") : directory;
  }

  /// @return 0, or a negated errno if no descriptor was available for the directory
  private static int watchAbove(Path directory, String next, Above above) {
    int fd =
        Files.openat(Files.AT_FDCWD, directory.toString(), Files.O_PATH | Files.O_DIRECTORY, 0);
    if (fd < 0) {
      return FileErrors.passes(-fd) ? fd : 0;
    }
    above.watch(fd, next.getBytes(StandardCharsets.UTF_8));
    Files.close(fd);
    return 0;
  }

  @Override
  public int openDirectory(SitePath directory) {
    return root.openToWatch(directory.isRoot() ? KernelRoot.HERE : directory.bytes());
  }

  @Override
  public void closeDirectory(int fd) {
    Files.close(fd);
  }

  /// Returns true for ext2 to ext4, xfs, btrfs, f2fs, tmpfs and ramfs, because all changes to them
  /// on this machine pass through the same kernel. Also returns true for overlays, because changes
  /// through the overlay are detected, and according to its documentation changes beneath a mounted
  /// overlay are undefined. Other file systems are not trusted.
  @Override
  public boolean sees(int fd) {
    synchronized (fileSystem) {
      if (Files.fstatfs(fd, fileSystem) < 0) {
        return false;
      }
      long type = fileSystem.type();
      return type == StatFs.EXT4_SUPER_MAGIC
          || type == StatFs.XFS_SUPER_MAGIC
          || type == StatFs.BTRFS_SUPER_MAGIC
          || type == StatFs.TMPFS_MAGIC
          || type == StatFs.OVERLAYFS_SUPER_MAGIC
          || type == F2FS_SUPER_MAGIC
          || type == RAMFS_MAGIC;
    }
  }

  @Override
  public int add(int fd, int mask) {
    return inotify.add(this, fd, mask);
  }

  @Override
  public void remove(int wd) {
    inotify.remove(this, wd);
  }

  @Override
  public int read() {
    return inotify.read();
  }

  @Override
  public Object queue() {
    return inotify;
  }

  /// Removes the remaining watches. Idempotent.
  @Override
  public void close() {
    inotify.release(this);
  }
}
