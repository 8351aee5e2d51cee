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

/// Executes a change that an operation makes to one or two files. It acquires the locks, checks
/// that the file handles are still valid, records `change_info4`, and makes the change stable.
/// Instances are confined to the worker that processes the COMPOUND.
///
/// As in NFSv3, the files are first locked ([ExportedTree]) and then retained, so that their inode
/// numbers cannot be reused. The attributes are read before and after the change. The reply that
/// has been written so far is recorded in the same group as the change ([Nfs4ReplayCache]). After a
/// crash, a retry therefore finds either both the change and its reply, or neither of them. After
/// the locks have been released, the reply to the COMPOUND is delayed until the journal has written
/// all changes of the COMPOUND.
final class Nfs4Change {
  /// A `change_info4`, which contains the change attribute of a directory before and after an
  /// operation.
  ///
  /// @param atomic true if no other change can have occurred in between
  record ChangeInfo(boolean atomic, long before, long after) {
    void write(XdrWriter out) {
      out.bool(atomic).int64(before).int64(after);
    }

    private ChangeInfo until(long now) {
      return new ChangeInfo(atomic, before, now);
    }
  }

  private static final ChangeInfo NOTHING = new ChangeInfo(false, 0, 0);

  /// A change to files.
  interface Step {
    void run() throws IOException, NfsException;
  }

  /// A change that may turn out to be unnecessary.
  interface Attempt {
    /// Runs the change.
    ///
    /// @return false if there was nothing to change
    boolean run(Nfs4Change change) throws IOException, NfsException;
  }

  /// Writes the result of an operation and sets the current file for the next operation.
  interface Result {
    /// Writes the result.
    ///
    /// @param second equal to `first` if only one file was changed
    void write(ChangeInfo first, ChangeInfo second) throws IOException, NfsException;
  }

  private final Nfs4Compound c;
  private final ExportedTree exported;
  private final FileRef first;
  private final FileRef second;
  private ChangeInfo firstInfo = NOTHING;
  private ChangeInfo secondInfo = NOTHING;

  /// True if anything may have been changed. It remains true if the change fails, because a part of
  /// the change may have been applied.
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

  /// Changes two files of one export.
  ///
  /// @throws NfsException `XDEV`, `ROFS`
  static void run(Nfs4Compound c, FileRef first, FileRef second, Step step, Result result)
      throws IOException, NfsException {
    of(c, first, second).inOrder(change -> change.grouped(step, result));
  }

  /// Makes a change to one file that may be too large for a group. The change must be idempotent,
  /// because it is repeated if the request is retried after a crash.
  static void runLarge(Nfs4Compound c, FileRef file, Step step, Result result)
      throws IOException, NfsException {
    of(c, file, file)
        .inOrder(change -> {
          step.run();
          change.grouped(() -> {}, result);
        });
  }

  /// Makes a change to one file that may be too large for a group, without writing a result. The
  /// change must be idempotent.
  static void truncate(Nfs4Compound c, FileRef file, Step step) throws IOException, NfsException {
    of(c, file, file).inOrder(_ -> step.run());
  }

  /// Changes one directory, or determines that no change is required. In the latter case, only
  /// earlier changes of the directory have to be stable.
  ///
  /// @return the change information of the directory
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

  /// The part of a change that is executed while the files are locked and retained.
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

  /// Returns the point that must be stable before the reply is sent. If something was changed, the
  /// point is also recorded for both files.
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

  /// Executes a change and records its result. Both are part of one group if the tree supports
  /// groups.
  ///
  /// @param result writes the result, or null if the result is written later and is not recorded
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
