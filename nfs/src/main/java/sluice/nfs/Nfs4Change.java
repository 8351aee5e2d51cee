package sluice.nfs;

import java.io.IOException;
import sluice.fs.FileTree;

/// The frame around what changes files: order, the files' identity, what the client is told of the
/// change, stability. Of the worker that handles the COMPOUND.
///
/// As with NFSv3: the locks of what is changed ([TreeShare]), then a hold on the files, so that
/// their numbers cannot be given to others; the change between two looks at the attributes. With
/// nothing held, the answer to the COMPOUND then waits for the journal, with those of all who have
/// changed something meanwhile.
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

  /// What perhaps is done to a directory.
  interface Attempt {
    /// @return false when there was nothing to be changed
    boolean run() throws IOException, NfsException;
  }

  private Nfs4Change() {}

  /// Changes one file or directory.
  static ChangeInfo run(Nfs4Compound c, FileRef file, Step step) throws IOException, NfsException {
    return run(c, file, file, step)[0];
  }

  /// Changes one directory, or finds that nothing has to be changed: then only what was changed in
  /// it before must be stable.
  static ChangeInfo attempt(Nfs4Compound c, FileRef directory, Attempt attempt)
      throws IOException, NfsException {
    return inOrder(c, directory, directory, attempt)[0];
  }

  /// Changes two of one export.
  ///
  /// @return of both
  /// @throws NfsException `XDEV`, `ROFS`
  static ChangeInfo[] run(Nfs4Compound c, FileRef first, FileRef second, Step step)
      throws IOException, NfsException {
    return inOrder(
        c,
        first,
        second,
        () -> {
          step.run();
          return true;
        });
  }

  private static ChangeInfo[] inOrder(
      Nfs4Compound c, FileRef first, FileRef second, Attempt attempt)
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
      boolean[] changed = {true}; // also when it fails: it may have done a part
      try {
        infos = held(c, first, second, () -> changed[0] = attempt.run());
      } finally {
        point = point(share, first, second, changed[0]);
      }
    } finally {
      share.unlock(first.inode, second.inode);
    }
    c.changed(share.tree(), point);
    return infos;
  }

  /// The point that must be stable; noted when something was changed.
  private static long point(TreeShare share, FileRef first, FileRef second, boolean changed) {
    if (!changed) {
      return Math.max(share.lastChange(first.inode), share.lastChange(second.inode));
    }
    long point = share.tree().stablePoint();
    share.changed(first.inode, point);
    share.changed(second.inode, point);
    return point;
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
