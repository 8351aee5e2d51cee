package sluice.fs.fuse;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import sluice.fs.FileTree;
import sluice.sys.Errno;

/// The files that have been changed and not closed since. It is used by mounts in which a close
/// waits until the file is durable. This class is thread-safe. The number of files is limited, and
/// if it would be exceeded, all of them are made durable.
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
  /// @param wanted true if a close has to wait
  FuseUnflushed(FileTree tree, boolean wanted) {
    this.tree = tree;
    this.wanted = wanted;
  }

  /// Records that a file was changed. Called after the change.
  void changed(long inode) throws IOException {
    if (wanted && changed.add(inode) && changed.size() > MOST) {
      // The set is cleared before waiting, so that files that are changed in the meantime are added
      // again.
      changed.clear();
      tree.awaitStable(tree.stablePoint());
    }
  }

  /// Handles FLUSH, which is sent when a descriptor of a file is closed.
  ///
  /// @return 0, or `ENOSYS` if the kernel does not have to send this message
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
