package sluice.nfs.v3;

import java.io.IOException;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.SpaceWait;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PersistentReplies;
import sluice.nfs.export.StableHow;
import sluice.nfs.rpc.DuplicateKey;
import sluice.sys.Errno;

/// Executes a change that a call makes to one or two files. It acquires the locks, checks that the
/// file handles are still valid, records the reply, and makes the change stable. Instances are
/// confined to the worker that processes the call.
///
/// 1. The files are locked ([ExportedTree]) and then retained, so that their inode numbers cannot
///    be reused. All locks are released when the call ends.
/// 2. The attributes are read before the change. The change, the reading of the new attributes, and
///    the record of the reply are part of one group. After a crash, a retransmission finds either
///    both the change and its reply, or neither of them.
/// 3. The locks are released. The reply is delayed until the journal has committed the change, and
///    a single commit is shared by all waiting calls. If a call did not change anything, its reply
///    is delayed only until the most recent change of the same files is stable, which is usually
///    already the case.
final class Nfs3Change {
  private final Nfs3Call call;
  private final ExportedTree exported;
  private final FileRef first;
  private final FileRef second;
  private long point;
  private boolean unchanged;

  /// A change that also writes its reply.
  interface Action {
    void run(Nfs3Change change) throws IOException, NfsException;
  }

  /// A part of a change.
  interface Step {
    void run() throws IOException, NfsException;
  }

  private Nfs3Change(Nfs3Call call, FileRef first, FileRef second) {
    this.call = call;
    this.first = first;
    this.second = second;
    exported = first.export.exported();
  }

  /// Changes one file or directory.
  static void run(Nfs3Call call, FileRef file, Action action) throws IOException, NfsException {
    run(call, file, file, action);
  }

  /// Changes two files of one export.
  ///
  /// @throws NfsException `XDEV`
  static void run(Nfs3Call call, FileRef first, FileRef second, Action action)
      throws IOException, NfsException {
    if (first.export != second.export) {
      throw new NfsException(NfsStatus.XDEV);
    }
    new Nfs3Change(call, first, second).run(action);
  }

  /// Writes data to one file. The reply is not recorded.
  ///
  /// @param stable the data that must be stable before the reply is sent
  static void write(Nfs3Call call, FileRef file, StableHow stable, Step step) throws IOException {
    Nfs3Change change = new Nfs3Change(call, file, file);
    if (change.runInOrder(_ -> step.run()) && stable != StableHow.UNSTABLE) {
      call.written(file, stable == StableHow.DATA_SYNC);
    }
  }

  private void run(Action action) throws IOException {
    if (runInOrder(action)) {
      call.changed(exported.tree(), point);
    }
  }

  private boolean runInOrder(Action action) throws IOException {
    exported.lock(first.inode, second.inode);
    try {
      return runLocked(action);
    } finally {
      exported.unlock(first.inode, second.inode);
    }
  }

  /// Executes the change while the locks are held.
  ///
  /// @return false if the call was refused; the reply has been written in either case
  private boolean runLocked(Action action) throws IOException {
    FileTree tree = exported.tree();
    int held = 0;
    try {
      tree.retain(first.inode);
      held++;
      tree.retain(second.inode);
      held++;
      call.before(first);
      if (second != first) {
        call.before(second);
      }
      if (first.export.readOnly()) {
        throw new NfsException(NfsStatus.ROFS);
      }
      boolean done = false;
      try {
        action.run(this);
        done = true;
      } finally {
        notePoint(done);
      }
      return true;
    } catch (NfsException | IOException e) {
      call.refuse(e);
      return false;
    } finally {
      if (held > 0) {
        tree.release(first.inode);
      }
      if (held > 1) {
        tree.release(second.inode);
      }
    }
  }

  /// Records the point that must be stable. A refused change is included, because a part of it may
  /// have been applied.
  private void notePoint(boolean done) {
    if (done && unchanged) {
      point = Math.max(exported.lastChange(first.inode), exported.lastChange(second.inode));
      return;
    }
    point = exported.tree().stablePoint();
    exported.changed(first.inode, point);
    exported.changed(second.inode, point);
  }

  Nfs3Call call() {
    return call;
  }

  /// Returns the first of the changed files.
  FileRef directory() {
    return first;
  }

  /// Records that nothing was changed. The reply is then delayed only until the most recent change
  /// of the files is stable.
  void unchanged() {
    unchanged = true;
  }

  /// Executes a change and records its reply. Both are part of one group if the tree supports
  /// groups.
  void grouped(Step step) throws IOException, NfsException {
    PersistentReplies records = exported.records();
    if (records == null || call.key == null) {
      step.run();
      return;
    }
    SpaceWait wait = null;
    while (true) {
      long freed = exported.tree().spaceFreed();
      try {
        inGroup(records, step);
        return;
      } catch (FsException e) {
        wait = wait == null ? new SpaceWait() : wait;
        boolean full = e.errno() == Errno.ENOSPC;
        if (!full || !wait.mayTryAgain() || !exported.tree().awaitSpace(freed)) {
          throw e;
        }
      }
    }
  }

  private void inGroup(PersistentReplies records, Step step) throws IOException, NfsException {
    FileTree.Group group = exported.tree().group();
    try (group) {
      step.run();
      record(records);
    }
  }

  /// Records the reply to a change that was too large for one group and has already been applied.
  void recordAlone() throws IOException {
    PersistentReplies records = exported.records();
    if (records != null) {
      FileTree.Group group = exported.tree().group();
      try (group) {
        record(records);
      }
    }
  }

  private void record(PersistentReplies records) throws IOException {
    DuplicateKey key = call.key;
    if (key != null) {
      records.write(key, call.answer());
    }
  }
}
