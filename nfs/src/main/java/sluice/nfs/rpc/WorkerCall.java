package sluice.nfs.rpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.ViewBinder;

/// A call in the hands of a worker. Made by the loop's thread, run by a worker, and finished by the
/// loop's thread again.
final class WorkerCall implements Runnable {
  private final RpcWorkers workers;
  private final RpcCall call;
  private final XdrReader reader;
  final MessageBuffer message;
  final XdrWriter reply;
  final int leased;
  final ReplyPath path;

  /// @param header of the call; may be used for another one afterwards
  /// @param leased bytes of a cache that the reply would keep
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

  /// Answers it on a worker of its own, which does not wait for what it has changed to be stable.
  @Override
  public void run() {
    GroupCommitBatch alone = new GroupCommitBatch(workers);
    try {
      alone.answer(this, new ViewBinder(Thread.currentThread()));
    } finally {
      alone.handOver();
    }
  }

  /// Answers it, but for what [#stableReply] says.
  ///
  /// @param binder of the thread that calls
  void answer(ViewBinder binder) {
    try {
      message.read(binder, reader);
      workers.dispatcher().call(call, reply);
    } finally {
      reader.close();
      binder.unbind();
    }
  }

  /// The worker may do others too.
  void inBatch(RpcCall.Batch batch) {
    call.inBatch(batch);
  }

  /// What the reply waits for; null for nothing.
  @Nullable StableReply stableReply() {
    return call.stableReply();
  }

  /// What the reply has waited for is stable, or never will be.
  void stable(@Nullable IOException failure) {
    workers.dispatcher().stable(call, reply, failure);
  }
}
