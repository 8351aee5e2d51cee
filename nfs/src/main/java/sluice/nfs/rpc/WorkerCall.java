package sluice.nfs.rpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.ViewBinder;

/// A call that is executed by a worker. It is created and completed on the loop's thread.
final class WorkerCall implements Runnable {
  private final RpcWorkers workers;
  private final RpcCall call;
  private final XdrReader reader;
  final MessageBuffer message;
  final XdrWriter reply;
  final int leased;
  final ReplyPath path;

  /// Creates a call for a worker.
  ///
  /// @param header the header of the call, which is copied
  /// @param leased the number of cache bytes that the reply is expected to lease
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

  /// Executes the call separately, outside of a batch. The worker does not wait until the change is
  /// stable.
  @Override
  public void run() {
    GroupCommitBatch alone = new GroupCommitBatch(workers);
    try {
      alone.answer(this, new ViewBinder(Thread.currentThread()));
    } finally {
      alone.handOver();
    }
  }

  /// Executes the call. Afterwards, the reply may still have to be delayed until [#stableReply] is
  /// stable.
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

  /// Sets the batch in which the call is executed.
  void inBatch(RpcCall.Batch batch) {
    call.inBatch(batch);
  }

  /// Returns the change that must be stable before the reply is sent, or null if there is none.
  @Nullable StableReply stableReply() {
    return call.stableReply();
  }

  /// Completes the reply after its change has become stable or has failed.
  void stable(@Nullable IOException failure) {
    workers.dispatcher().stable(call, reply, failure);
  }
}
