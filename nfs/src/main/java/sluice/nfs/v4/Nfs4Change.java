package sluice.nfs.v4;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.SpaceWait;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PersistentReplies;
import sluice.nfs.rpc.XdrWriter;
import sluice.sys.Errno;

/// The frame around what changes files: order, the files' identity, what the client is told of the
/// change, stability. Of the worker that handles the COMPOUND.
///
/// As with NFSv3: the locks of what is changed ([ExportedTree]), then a hold on the files, so that
/// their numbers cannot be given to others; the change between two looks at the attributes, and in
/// one group with it the record of the answer so far ([Nfs4ReplayCache]): after a crash a repeated
/// request finds either the change and its answer, or neither. With nothing held, the answer to the
/// COMPOUND then waits for the journal, with all that have changed something meanwhile.
final class Nfs4Change {
  /// `change_info4`: what a directory's change attribute was and is.
  ///
  /// @param atomic whether nothing else can have changed it in between
  record ChangeInfo(boolean atomic, long before, long after) {
    void write(XdrWriter out) {
      out.bool(atomic).int64(before).int64(after);
    }

    private ChangeInfo until(long now) {
      return new ChangeInfo(atomic, before, now);
    }
  }

  private static final ChangeInfo NOTHING = new ChangeInfo(false, 0, 0);

  /// What is done to files.
  interface Step {
    void run() throws IOException, NfsException;
  }

  /// What perhaps is done to a directory.
  interface Attempt {
    /// @return false when there was nothing to be changed
    boolean run(Nfs4Change change) throws IOException, NfsException;
  }

  /// Writes the result of the operation, and hands on to the next what it is handed.
  interface Result {
    /// @param second the same as the first where only one is changed
    void write(ChangeInfo first, ChangeInfo second) throws IOException, NfsException;
  }

  private final Nfs4Compound c;
  private final ExportedTree exported;
  private final FileRef first;
  private final FileRef second;
  private ChangeInfo firstInfo = NOTHING;
  private ChangeInfo secondInfo = NOTHING;

  /// Whether anything may have been changed, also when it fails: it may have done a part.
  private boolean changed = true;

  private Nfs4Change(Nfs4Compound c, FileRef first, FileRef second) {
    this.c = c;
    this.first = first;
    this.second = second;
    exported = first.export.exported();
  }

  /// Changes one file or directory.
  static void run(Nfs4Compound c, FileRef file, Step step, Result result)
      throws IOException, NfsException {
    run(c, file, file, step, result);
  }

  /// Changes two of one export.
  ///
  /// @throws NfsException `XDEV`, `ROFS`
  static void run(Nfs4Compound c, FileRef first, FileRef second, Step step, Result result)
      throws IOException, NfsException {
    of(c, first, second).inOrder(change -> change.grouped(step, result));
  }

  /// Changes one file by what may be too much for a group. Done twice it is as done once, but for
  /// what others do in between.
  static void runLarge(Nfs4Compound c, FileRef file, Step step, Result result)
      throws IOException, NfsException {
    of(c, file, file)
        .inOrder(change -> {
          step.run();
          change.grouped(() -> {}, result);
        });
  }

  /// Changes one file by what may be too much for a group, and is no more when done twice.
  static void truncate(Nfs4Compound c, FileRef file, Step step) throws IOException, NfsException {
    of(c, file, file).inOrder(_ -> step.run());
  }

  /// Changes one directory, or finds that nothing has to be changed: then only what was changed in
  /// it before must be stable.
  ///
  /// @return what is told of the directory
  static ChangeInfo attempt(Nfs4Compound c, FileRef directory, Attempt attempt)
      throws IOException, NfsException {
    Nfs4Change made = of(c, directory, directory);
    made.inOrder(change -> change.changed = attempt.run(change));
    return made.firstInfo;
  }

  private static Nfs4Change of(Nfs4Compound c, FileRef first, FileRef second) throws NfsException {
    c.mayWait();
    if (first.export != second.export) {
      throw new NfsException(NfsStatus.XDEV);
    }
    Nfs4Compound.requireWritable(first);
    return new Nfs4Change(c, first, second);
  }

  /// What is done between the looks.
  private interface Action {
    void run(Nfs4Change change) throws IOException, NfsException;
  }

  private void inOrder(Action action) throws IOException, NfsException {
    long point;
    exported.lock(first.inode, second.inode);
    try {
      try {
        held(action);
      } finally {
        point = point();
      }
    } finally {
      exported.unlock(first.inode, second.inode);
    }
    c.changed(exported.tree(), point);
  }

  /// The point that must be stable; noted when something was changed.
  private long point() {
    if (!changed) {
      return Math.max(exported.lastChange(first.inode), exported.lastChange(second.inode));
    }
    long point = exported.tree().stablePoint();
    exported.changed(first.inode, point);
    exported.changed(second.inode, point);
    return point;
  }

  private void held(Action action) throws IOException, NfsException {
    FileTree tree = exported.tree();
    tree.retain(first.inode);
    try {
      tree.retain(second.inode);
      try {
        boolean atomic = tree.changesOnlyHere();
        long before = c.attributes(first).version();
        firstInfo = new ChangeInfo(atomic, before, before);
        before = c.attributes(second).version();
        secondInfo = new ChangeInfo(atomic, before, before);
        action.run(this);
      } finally {
        tree.release(second.inode);
      }
    } finally {
      tree.release(first.inode);
    }
  }

  /// Runs a step and keeps its result, in one group where the tree has such.
  ///
  /// @param result null when it is written later, and not to be kept
  void grouped(Step step, @Nullable Result result) throws IOException, NfsException {
    if (!exported.tree().atomicGroups()) {
      run(step, result);
      return;
    }
    SpaceWait wait = null;
    while (true) {
      long freed = exported.tree().spaceFreed();
      try {
        inGroup(step, result);
        return;
      } catch (FsException e) {
        if (e.errno() != Errno.ENOSPC) {
          throw e;
        }
        c.call.beforeWaiting();
        wait = wait == null ? new SpaceWait() : wait;
        if (!wait.mayTryAgain() || !exported.tree().awaitSpace(freed)) {
          throw e;
        }
        c.redo();
      }
    }
  }

  private void inGroup(Step step, @Nullable Result result) throws IOException, NfsException {
    FileTree.Group group = exported.tree().group();
    try (group) {
      run(step, result);
    }
  }

  private void run(Step step, @Nullable Result result) throws IOException, NfsException {
    step.run();
    FileTree tree = exported.tree();
    firstInfo = firstInfo.until(tree.attributes(first.inode).version());
    secondInfo = secondInfo.until(tree.attributes(second.inode).version());
    if (result != null) {
      result.write(firstInfo, secondInfo);
      keep();
    }
  }

  private void keep() throws IOException {
    PersistentReplies records = exported.records();
    if (records != null && c.isKept()) {
      Nfs4ReplayCache.keep(c, records);
    }
  }
}
