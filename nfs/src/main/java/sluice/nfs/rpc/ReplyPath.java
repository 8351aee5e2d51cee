package sluice.nfs.rpc;

/// Sends the reply to a call that a worker has executed. Called by the loop's thread.
interface ReplyPath {
  /// Sends the reply, or discards it if the connection has been closed.
  ///
  /// @param reply the reply, which must not be retained after this method returns
  /// @param leased the number that was passed to [RpcWorkers#pass]
  void answered(XdrWriter reply, int leased);
}
