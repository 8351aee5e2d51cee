package sluice.nfs.rpc;

/// Where the reply to a call goes that a worker has answered. Called by the loop's thread.
interface ReplyPath {
  /// Sends the reply, or drops it when no client waits for it any more.
  ///
  /// @param reply not to be kept
  /// @param leased as [RpcWorkers#pass] was told
  void answered(XdrWriter reply, int leased);
}
