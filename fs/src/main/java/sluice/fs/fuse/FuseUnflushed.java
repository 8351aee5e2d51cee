package sluice.fs.fuse;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.FileTree;
import sluice.sys.Errno;

/// The files that were changed and not closed since, for mounts where a close waits until the file
/// is stable. Safe for use by any thread. The number of files is limited; one more makes all of
/// them stable.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | changed | any worker | concurrent set | concurrent set |
final class FuseUnflushed {
  private static final int MOST = 1 << 16;

  private final FileTree tree;
  private final boolean wanted;
  private final Set<Long> changed = ConcurrentHashMap.newKeySet();

  /// Creates an empty set.
  ///
  /// @param wanted true if a close waits at all
  FuseUnflushed(FileTree tree, boolean wanted) {
    this.tree = tree;
    this.wanted = wanted;
  }

  /// Records that a file was changed. Called after the change.
  void changed(long inode) throws IOException {
    if (wanted && changed.add(inode) && changed.size() > MOST) {
      // Cleared before the wait, so that files changed meanwhile are added again.
      changed.clear();
      tree.awaitStable(tree.stablePoint());
    }
  }

  /// Handles FLUSH: a descriptor of a file is closed.
  ///
  /// @return 0, or `ENOSYS` if the kernel need not send such messages
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
