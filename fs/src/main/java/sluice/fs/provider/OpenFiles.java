package sluice.fs.provider;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import sluice.fs.FileTree;

/// The files that are open in channels. All channels of an inode share one [OpenFile]. This class
/// is thread-safe.
final class OpenFiles {
  private final FileTree tree;
  private final Map<Long, OpenFile> files = new HashMap<>();

  OpenFiles(FileTree tree) {
    this.tree = tree;
  }

  /// The state that is shared by all channels of a file. This class is thread-safe.
  static final class OpenFile {
    final long inode;

    /// A lock that is held while bytes are appended.
    final ReentrantLock append = new ReentrantLock();

    final FileLocks locks = new FileLocks();

    /// The number of channels in which the file is open. Guarded by [OpenFiles].
    private int channels;

    private OpenFile(long inode) {
      this.inode = inode;
    }
  }

  /// Opens a file and retains it, so that it is not deleted when it loses its last name.
  ///
  /// @throws sluice.fs.FsException `ESTALE` if the file no longer exists
  OpenFile open(long inode) throws IOException {
    tree.retain(inode);
    synchronized (files) {
      OpenFile file = files.computeIfAbsent(inode, OpenFile::new);
      file.channels++;
      return file;
    }
  }

  /// Closes a file that was opened by [#open].
  void close(OpenFile file) throws IOException {
    synchronized (files) {
      if (--file.channels == 0) {
        files.remove(file.inode);
      }
    }
    tree.release(file.inode);
  }
}
