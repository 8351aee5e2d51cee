package sluice.nfs;

import sluice.memory.ViewBinder;

/// A call in the hands of a worker. Made by the loop's thread, run by a worker, and finished by the
/// loop's thread again.
final class PassedCall implements Runnable {
  private final RpcWorkers workers;
  private final RpcCall call;
  private final XdrReader reader;
  final MessageBuffer message;
  final XdrWriter reply;
  final ReplyPath path;

  /// @param header of the call; may be used for another one afterwards
  PassedCall(
      RpcWorkers workers, RpcCall header, MessageBuffer message, XdrWriter reply, ReplyPath path) {
    this.workers = workers;
    this.reader = new XdrReader();
    this.call = header.copy(reader);
    this.message = message;
    this.reply = reply;
    this.path = path;
  }

  @Override
  public void run() {
    ViewBinder binder = new ViewBinder(Thread.currentThread());
    try {
      message.read(binder, reader);
      workers.dispatcher().call(call, reply);
    } finally {
      reader.close();
      binder.unbind();
      workers.worked(this);
    }
  }

  /// Nobody will run this: there is no reply.
  void rejected() {
    workers.finished(this);
  }
}
