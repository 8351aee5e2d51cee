package sluice.nfs.rpc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.memory.ViewBinder;

/// The batch of calls that one worker of a [GroupCommitQueue] has completed but not yet submitted.
/// A call that changed nothing is submitted to the loop, which sends its reply. All other calls are
/// submitted to the changed tree first, which notifies the server when the change is stable. A
/// batch is confined to one worker; a submitted call belongs to its receiver.
final class GroupCommitBatch implements RpcCall.Batch {
  /// The number of calls after which the batch is submitted.
  private static final int MOST = 64;

  private final RpcWorkers workers;
  private List<WorkerCall> answered = new ArrayList<>();
  private List<WorkerCall> changed = new ArrayList<>();
  private @Nullable FileTree tree;
  private long point;

  GroupCommitBatch(RpcWorkers workers) {
    this.workers = workers;
  }

  /// Executes a call and adds it to the batch.
  void answer(WorkerCall call, ViewBinder binder) {
    StableReply reply = null;
    try {
      call.inBatch(this);
      call.answer(binder);
      reply = call.stableReply();
    } finally {
      if (reply == null) {
        answered.add(call);
      } else {
        add(call, reply);
      }
    }
    if (answered.size() + changed.size() >= MOST) {
      handOver();
    }
  }

  private void add(WorkerCall call, StableReply reply) {
    if (tree != reply.tree()) {
      makeStable();
      tree = reply.tree();
      point = reply.point();
    }
    point = Math.max(point, reply.point());
    changed.add(call);
  }

  @Override
  public void handOver() {
    if (!answered.isEmpty()) {
      List<WorkerCall> all = answered;
      answered = new ArrayList<>();
      workers.worked(all);
    }
    makeStable();
  }

  private void makeStable() {
    FileTree of = tree;
    if (of == null || changed.isEmpty()) {
      return;
    }
    List<WorkerCall> all = changed;
    changed = new ArrayList<>();
    tree = null;
    try {
      of.whenStable(point, failure -> workers.stable(all, failure));
    } catch (RuntimeException e) { // the tree is closed
      workers.stable(all, new IOException(e));
    }
  }
}
