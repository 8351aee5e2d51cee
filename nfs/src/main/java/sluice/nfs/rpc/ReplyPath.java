package sluice.nfs.rpc;

/// Sends the reply to a call that a worker has run. Called by the loop's thread.
interface ReplyPath {
  /// Sends the reply, or drops it if the client is gone.
  ///
  /// @param reply must not be kept
  /// @param leased the number that was passed to [RpcWorkers#pass]
  void answered(XdrWriter reply, int leased);
}
