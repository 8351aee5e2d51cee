package sluice.nfs.export;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.nfs.rpc.RpcCall;

/// The changes of a call that must be stable before its reply is sent. Instances are confined to
/// the worker that processes the call.
public final class PendingChange {
  private @Nullable FileTree changed;
  private long point;

  /// Adds a change. If an earlier change was made in another tree, this method waits until the
  /// earlier change is stable.
  ///
  /// @return true if this is the first change in its tree
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

  /// Adds data that was written to a file. If the tree does not order file data with its changes,
  /// this method waits until the data are stable.
  ///
  /// @return the result of [#add], or false if this method has waited until the data were stable
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

  /// Returns true if there is a change to wait for.
  public boolean exists() {
    return changed != null;
  }

  /// Delays the reply until the changes are stable.
  ///
  /// @param then runs before the reply is sent
  /// @return false if there is no change to wait for
  public boolean answerWhenStable(RpcCall call, FileTree.StableListener then) {
    FileTree tree = changed;
    if (tree == null) {
      return false;
    }
    call.replyWhenStable(tree, point, then);
    return true;
  }
}
