package sluice.nfs.rpc;

import java.io.IOException;

/// A program of ONC RPC (RFC 5531) in one or more versions. Called concurrently by several loops
/// and workers, also for calls of one connection. The server answers procedure 0 itself.
///
/// Both methods write the results only; the reply's header is written already. An exception
/// determines the reply: [XdrException] is GARBAGE_ARGS, [RpcRefusal] carries its status, all
/// others are SYSTEM_ERR.
public interface RpcProgram {
  int number();

  int lowestVersion();

  /// Returns the highest version; by default the lowest.
  default int highestVersion() {
    return lowestVersion();
  }

  /// Answers a call at once or not at all. Called on the loop's thread: must not wait, lock or be
  /// slow. If it returns false it may first mark the call with [RpcCall#forGroupCommit].
  ///
  /// @return false to discard the written results and have a worker run [#call] with the same
  ///   arguments
  default boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    return false;
  }

  /// Returns the number of bytes of a file system's cache that the reply is expected to lease.
  /// Further bytes are copied. Called on the loop's thread, after [#tryCall] has returned false.
  default int leases(RpcCall call, XdrReader arguments) {
    return 0;
  }

  /// Answers a call. Called on a worker, which is a virtual thread and may block. Calls of one
  /// connection run concurrently and in any order.
  void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException;
}
