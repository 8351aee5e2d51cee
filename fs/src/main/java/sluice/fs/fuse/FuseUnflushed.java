package sluice.fs.fuse;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.FileTree;
import sluice.sys.Errno;

/// Files that were changed and not closed since, for mounts where closing waits until a file is
/// stable. Any thread may call. It keeps at most so many numbers; one more makes all of them
/// stable.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | changed | any worker | concurrent set | concurrent set |
final class FuseUnflushed {
  private static final int MOST = 1 << 16;

  private final FileTree tree;
  private final boolean wanted;
  private final Set<Long> changed = ConcurrentHashMap.newKeySet();

  /// @param wanted whether closing waits at all
  FuseUnflushed(FileTree tree, boolean wanted) {
    this.tree = tree;
    this.wanted = wanted;
  }

  /// A file was changed: to be told behind the change.
  void changed(long inode) throws IOException {
    if (wanted && changed.add(inode) && changed.size() > MOST) {
      // Taken out before the wait: what is changed meanwhile is put in again.
      changed.clear();
      tree.awaitStable(tree.stablePoint());
    }
  }

  /// FLUSH: a descriptor of a file is closed.
  ///
  /// @return 0, or `ENOSYS` where the kernel need not say so again
  int closing(long inode) throws IOException {
    if (!wanted) {
      return Errno.ENOSYS;
    }
    if (changed.remove(inode)) {
      tree.sync(inode, false);
    }
    return 0;
  }
}
