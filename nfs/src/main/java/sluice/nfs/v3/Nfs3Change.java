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

/// The frame around everything that changes files: order, the files' identity, the record of the
/// answer, stability. Of the worker that handles the call.
///
/// 1. The locks of what is changed ([ExportedTree]), then a hold on the files, so that their
///    numbers cannot be given to others while they are worked on; nothing is held when the call has
///    ended. 2. The attributes before; the change, the attributes after and the record of the
///    answer, in one group; so a repeated call after a crash finds either the change and its
///    answer, or neither. 3. The locks are let go. The answer waits for the journal, with all that
///    have changed something meanwhile: one commit for many. A call that had nothing to change
///    waits only until what was done here before is stable, which it mostly is.
final class Nfs3Change {
  private final Nfs3Call call;
  private final ExportedTree exported;
  private final FileRef first;
  private final FileRef second;
  private long point;
  private boolean unchanged;

  /// What is to be done: changes the tree and writes the answer.
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

  /// Changes two of one export.
  ///
  /// @throws NfsException `XDEV`
  static void run(Nfs3Call call, FileRef first, FileRef second, Action action)
      throws IOException, NfsException {
    if (first.export != second.export) {
      throw new NfsException(NfsStatus.XDEV);
    }
    new Nfs3Change(call, first, second).run(action);
  }

  /// Changes the content of one file; an answer is not kept.
  ///
  /// @param stable what must be on the device before the answer
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

  /// @return false when it was refused; the answer is written in any case
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

  /// Notes behind which point this is, also when it was refused: it may have done a part.
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

  /// What is changed; the first of two.
  FileRef directory() {
    return first;
  }

  /// Nothing had to be changed: the answer waits only for what it tells of, the last change here.
  void unchanged() {
    unchanged = true;
  }

  /// Runs a step and keeps the answer that it writes, in one group where the tree has such.
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

  /// Keeps the answer of something that was too large for one group: it was done before.
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
