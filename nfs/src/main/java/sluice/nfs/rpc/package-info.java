/// ONC RPC (RFC 5531) over TCP and UDP, with XDR (RFC 4506). This package does not depend on
/// exports or on NFS. It uses file trees only to receive data as slices and to delay a reply until
/// a change is stable.
///
/// The following reading order ensures that each step requires only the previous ones:
///
/// 1. **The view of a program.** [RpcProgram] answers an [RpcCall] by reading an [XdrReader] and
///    writing an [XdrWriter], or throws [XdrException] or [RpcRefusal]. [Portmapper] is an example.
///    [DuplicateKey] identifies a retransmitted call.
/// 2. **The server.** [RpcServer] manages the loops, ports and limits.
/// 3. **From bytes to a call.** `RpcProtocol` finds the records of a connection; `RpcStream` is the
///    state of a connection (with `MinimumDataRate` and `MessageBuffer`). `RpcDatagrams` does the
///    same for UDP. `RpcDispatcher` decodes the header with `CredentialCache` and calls the
///    program.
/// 4. **Calls that have to wait.** `RpcWorkers` passes a `WorkerCall` to a worker. Small changes
///    are added to a [GroupCommitQueue], whose worker submits a `GroupCommitBatch` that waits for
///    the journal (`StableReply`).
/// 5. **Limits and counters.** `MessagePool`, `RpcLeases`, `RpcCounters`.
package sluice.nfs.rpc;
