package sluice.nfs.rpc;

import java.io.IOException;

/// A program of ONC RPC (RFC 5531) in one or more versions. Its methods are invoked concurrently by
/// several loops and workers, even for calls of the same connection. The server itself answers
/// procedure 0.
///
/// Both methods write only the results, because the header of the reply has already been written.
/// If a method throws an exception, the reply is GARBAGE_ARGS for an [XdrException], the status of
/// the exception for an [RpcRefusal], and SYSTEM_ERR for all others.
public interface RpcProgram {
  int number();

  int lowestVersion();

  /// Returns the highest version, which is the lowest version by default.
  default int highestVersion() {
    return lowestVersion();
  }

  /// Answers a call if that is possible immediately. This method is called on the loop's thread, so
  /// it must not wait, acquire a lock, or be slow. Before it returns false, it may mark the call
  /// with [RpcCall#forGroupCommit].
  ///
  /// @return false to discard the written results and to have a worker invoke [#call] with the same
  ///   arguments
  default boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    return false;
  }

  /// Returns the number of bytes of a file system cache that the reply is expected to lease. Any
  /// additional bytes are copied. This method is called on the loop's thread after [#tryCall] has
  /// returned false.
  default int leases(RpcCall call, XdrReader arguments) {
    return 0;
  }

  /// Answers a call. This method is called on a worker, which is a virtual thread and may block.
  /// Calls of one connection are executed concurrently and in any order.
  void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException;
}
