package sluice.nfs.rpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.ViewBinder;

/// A call that a worker runs. Created and finished by the loop's thread, run by a worker.
final class WorkerCall implements Runnable {
  private final RpcWorkers workers;
  private final RpcCall call;
  private final XdrReader reader;
  final MessageBuffer message;
  final XdrWriter reply;
  final int leased;
  final ReplyPath path;

  /// Creates a worker's call.
  ///
  /// @param header the header of the call, which is copied
  /// @param leased the number of cache bytes that the reply would lease
  WorkerCall(
      RpcWorkers workers,
      RpcCall header,
      MessageBuffer message,
      XdrWriter reply,
      int leased,
      ReplyPath path) {
    this.workers = workers;
    this.reader = new XdrReader();
    this.call = header.copy(reader);
    this.message = message;
    this.reply = reply;
    this.leased = leased;
    this.path = path;
  }

  /// Runs the call alone on this worker, which does not wait until its change is stable.
  @Override
  public void run() {
    GroupCommitBatch alone = new GroupCommitBatch(workers);
    try {
      alone.answer(this, new ViewBinder(Thread.currentThread()));
    } finally {
      alone.handOver();
    }
  }

  /// Runs the call. The reply may still have to wait for [#stableReply].
  ///
  /// @param binder the binder of the calling thread
  void answer(ViewBinder binder) {
    try {
      message.read(binder, reader);
      workers.dispatcher().call(call, reply);
    } finally {
      reader.close();
      binder.unbind();
    }
  }

  /// Tells the call in which batch it is run.
  void inBatch(RpcCall.Batch batch) {
    call.inBatch(batch);
  }

  /// Returns the change that the reply waits for, or null.
  @Nullable StableReply stableReply() {
    return call.stableReply();
  }

  /// Completes the reply when its change is stable or has failed.
  void stable(@Nullable IOException failure) {
    workers.dispatcher().stable(call, reply, failure);
  }
}
