package sluice.nfs;

import java.io.IOException;
import sluice.fs.FileTree;

/// The frame around what changes files: order, the files' identity, what the client is told of the
/// change, stability. Of the worker that handles the COMPOUND.
///
/// As with NFSv3: the locks of what is changed ([TreeShare]), then a hold on the files, so that
/// their numbers cannot be given to others; the change between two looks at the attributes; then,
/// with nothing held, the journal, for which all wait together.
final class Nfs4Change {
  /// `change_info4`: what a directory's change attribute was and is.
  ///
  /// @param atomic whether nothing else can have changed it in between
  record ChangeInfo(boolean atomic, long before, long after) {
    void write(XdrWriter out) {
      out.bool(atomic).int64(before).int64(after);
    }
  }

  /// What is done to files.
  interface Step {
    void run() throws IOException, NfsException;
  }

  private Nfs4Change() {}

  /// Changes one file or directory.
  static ChangeInfo run(Nfs4Compound c, FileRef file, Step step) throws IOException, NfsException {
    return run(c, file, file, step)[0];
  }

  /// Changes two of one export.
  ///
  /// @return of both
  /// @throws NfsException `XDEV`, `ROFS`
  static ChangeInfo[] run(Nfs4Compound c, FileRef first, FileRef second, Step step)
      throws IOException, NfsException {
    c.mayWait();
    if (first.export != second.export) {
      throw new NfsException(NfsStatus.XDEV);
    }
    Nfs4Compound.requireWritable(first);
    TreeShare share = first.export.share();
    ChangeInfo[] infos;
    long point;
    share.lock(first.inode, second.inode);
    try {
      infos = held(c, first, second, step);
      point = share.tree().stablePoint();
    } finally {
      share.unlock(first.inode, second.inode);
    }
    share.tree().awaitStable(point);
    return infos;
  }

  private static ChangeInfo[] held(Nfs4Compound c, FileRef first, FileRef second, Step step)
      throws IOException, NfsException {
    FileTree tree = Nfs4Compound.tree(first);
    tree.retain(first.inode);
    try {
      tree.retain(second.inode);
      try {
        long before = c.attributes(first).version();
        long secondBefore = c.attributes(second).version();
        step.run();
        boolean atomic = tree.changesOnlyHere();
        return new ChangeInfo[] {
          new ChangeInfo(atomic, before, tree.attributes(first.inode).version()),
          new ChangeInfo(atomic, secondBefore, tree.attributes(second.inode).version())
        };
      } finally {
        tree.release(second.inode);
      }
    } finally {
      tree.release(first.inode);
    }
  }

  /// Does several things to a tree that become stable together where that is possible.
  static void together(FileTree tree, Step step) throws IOException, NfsException {
    if (!tree.atomicGroups()) {
      step.run();
      return;
    }
    FileTree.Group group = tree.group();
    try (group) {
      step.run();
    }
  }
}
