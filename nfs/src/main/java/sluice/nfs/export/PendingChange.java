package sluice.nfs.export;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.nfs.rpc.RpcCall;

/// What a call has changed, which must be stable before its answer is sent. Of the worker that
/// handles the call.
public final class PendingChange {
  private @Nullable FileTree changed;
  private long point;

  /// Notes a change. Of two trees the first is waited for.
  ///
  /// @return whether it is the first in its tree
  public boolean add(RpcCall call, FileTree tree, long stablePoint) throws IOException {
    FileTree before = changed;
    if (before == tree) {
      point = Math.max(point, stablePoint);
      return false;
    }
    if (before != null) {
      call.beforeWaiting();
      before.awaitStable(point);
    }
    changed = tree;
    point = stablePoint;
    return true;
  }

  /// Notes that content was written to a file; waits for it where content has no place in the order
  /// of changes.
  ///
  /// @return as [#add]
  public boolean addContent(RpcCall call, FileRef file, boolean dataOnly) throws IOException {
    ExportedTree exported = file.export.exported();
    FileTree tree = exported.tree();
    if (tree.ordersContent()) {
      return add(call, tree, tree.stablePoint());
    }
    call.beforeWaiting();
    exported.sync(file.inode, dataOnly);
    return false;
  }

  /// Whether there is something to wait for.
  public boolean exists() {
    return changed != null;
  }

  /// Lets the answer wait for it.
  ///
  /// @param then runs before it is sent
  /// @return false when there is nothing to wait for
  public boolean answerWhenStable(RpcCall call, FileTree.StableListener then) {
    FileTree tree = changed;
    if (tree == null) {
      return false;
    }
    call.replyWhenStable(tree, point, then);
    return true;
  }
}
