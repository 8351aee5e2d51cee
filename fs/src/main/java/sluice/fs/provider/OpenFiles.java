package sluice.fs.provider;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import sluice.fs.FileTree;

/// Files that channels have open, one [OpenFile] per inode however many channels. Any thread may
/// call.
final class OpenFiles {
  private final FileTree tree;
  private final Map<Long, OpenFile> files = new HashMap<>();

  OpenFiles(FileTree tree) {
    this.tree = tree;
  }

  /// What the channels of one file share. Any thread may use it.
  static final class OpenFile {
    final long inode;

    /// Held while bytes are added at the end.
    final ReentrantLock append = new ReentrantLock();

    final FileLocks locks = new FileLocks();

    /// Channels that have it open; of [OpenFiles].
    private int channels;

    private OpenFile(long inode) {
      this.inode = inode;
    }
  }

  /// Keeps a file in being although its last name may go.
  ///
  /// @throws sluice.fs.FsException `ESTALE` when it has gone
  OpenFile open(long inode) throws IOException {
    tree.retain(inode);
    synchronized (files) {
      OpenFile file = files.computeIfAbsent(inode, OpenFile::new);
      file.channels++;
      return file;
    }
  }

  /// The other half of [#open].
  void close(OpenFile file) throws IOException {
    synchronized (files) {
      if (--file.channels == 0) {
        files.remove(file.inode);
      }
    }
    tree.release(file.inode);
  }
}
