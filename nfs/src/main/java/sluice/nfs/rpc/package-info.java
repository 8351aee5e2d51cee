/// ONC RPC (RFC 5531) over TCP and UDP, with XDR (RFC 4506). The package does not know exports or
/// NFS. Of file trees it knows that data come as slices and that a reply may wait until a change is
/// stable.
///
/// A reading order in which each step needs only the steps before it:
///
/// 1. **The view of a program.** [RpcProgram] answers an [RpcCall] by reading an [XdrReader] and
///    writing an [XdrWriter]; it throws [XdrException] or [RpcRefusal]. [Portmapper] is an example.
///    [DuplicateKey] identifies a retransmitted call.
/// 2. **The server.** [RpcServer] has the loops, ports and limits.
/// 3. **From bytes to a call.** `RpcProtocol` finds the records of a connection; `RpcStream` is the
///    connection's state (with `MinimumDataRate` and `MessageBuffer`). `RpcDatagrams` does the same
///    for UDP. `RpcDispatcher` decodes the header with `CredentialCache` and calls the program.
/// 4. **Calls that have to wait.** `RpcWorkers` runs a `WorkerCall`. Small changes go to a
///    [GroupCommitQueue], whose worker hands over a `GroupCommitBatch` that waits for the journal
///    (`StableReply`).
/// 5. **Limits and counters.** `MessagePool`, `RpcLeases`, `RpcCounters`.
package sluice.nfs.rpc;
