package sluice.nfs.rpc;

import java.io.IOException;

/// One program of ONC RPC (RFC 5531), in some of its versions. Called by several loops and workers
/// at a time, for several calls of one connection too. Procedure 0 is answered for it.
///
/// Both methods write results only; the reply's header is there already. What they throw decides
/// it: [XdrException] is GARBAGE_ARGS, [RpcRefusal] what it says, anything else SYSTEM_ERR.
public interface RpcProgram {
  int number();

  int lowestVersion();

  /// The same, of a program in one version.
  default int highestVersion() {
    return lowestVersion();
  }

  /// Answers at once or not at all. On the loop's thread: must not wait, lock or be slow. Of a call
  /// that is passed it may say that it [RpcCall#forGroupCommit].
  ///
  /// @return false: whatever was written is dropped, and [#call] is run with the same arguments
  default boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    return false;
  }

  /// How many bytes of a file system's cache the reply to a call that [#tryCall] has passed on is
  /// expected to keep: what it takes beyond that is copied. On the loop's thread.
  default int leases(RpcCall call, XdrReader arguments) {
    return 0;
  }

  /// Answers. On a worker, a virtual thread, which may block; calls of one connection run in any
  /// order, several at a time.
  void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException;
}
