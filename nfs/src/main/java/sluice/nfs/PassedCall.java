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
  final int leased;
  final ReplyPath path;

  /// @param header of the call; may be used for another one afterwards
  /// @param leased bytes of a cache that the reply would keep
  PassedCall(
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
