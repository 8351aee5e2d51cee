package sluice.fs.provider;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import sluice.fs.FileTree;

/// The files that channels have open, one [OpenFile] per inode for any number of channels. Safe for
/// use by any thread.
final class OpenFiles {
  private final FileTree tree;
  private final Map<Long, OpenFile> files = new HashMap<>();

  OpenFiles(FileTree tree) {
    this.tree = tree;
  }

  /// The shared state of all channels of one file. Safe for use by any thread.
  static final class OpenFile {
    final long inode;

    /// Held while bytes are appended.
    final ReentrantLock append = new ReentrantLock();

    final FileLocks locks = new FileLocks();

    /// The number of channels that have the file open. Guarded by [OpenFiles].
    private int channels;

    private OpenFile(long inode) {
      this.inode = inode;
    }
  }

  /// Opens a file and keeps it alive even if it loses its last name.
  ///
  /// @throws sluice.fs.FsException `ESTALE` if it is gone already
  OpenFile open(long inode) throws IOException {
    tree.retain(inode);
    synchronized (files) {
      OpenFile file = files.computeIfAbsent(inode, OpenFile::new);
      file.channels++;
      return file;
    }
  }

  /// Closes a file that [#open] returned.
  void close(OpenFile file) throws IOException {
    synchronized (files) {
      if (--file.channels == 0) {
        files.remove(file.inode);
      }
    }
    tree.release(file.inode);
  }
}
