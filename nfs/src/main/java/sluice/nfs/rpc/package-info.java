/// ONC RPC (RFC 5531) over TCP and UDP, and what it carries as XDR (RFC 4506). No class here knows
/// of exports or of NFS; of file trees only that content comes in slices, and that an answer may
/// wait until a change is stable.
///
/// A way to read it; each step needs only what came before.
///
/// 1. **What programs see.** [RpcProgram] answers an [RpcCall] by reading an [XdrReader] and
///    writing an [XdrWriter]; it throws [XdrException] or [RpcRefusal]. [Portmapper] is one.
///    [DuplicateKey] is what a repeated call has in common with the first.
/// 2. **What starts them.** [RpcServer]: loops, ports, limits.
/// 3. **From bytes to a call.** `RpcProtocol` finds the records of a connection, whose state is an
///    `RpcStream` (`MinimumDataRate`, `MessageBuffer`); `RpcDatagrams` is the same for UDP.
///    `RpcDispatcher` reads the header, with `CredentialCache`, and asks the program.
/// 4. **What cannot be answered at once.** `RpcWorkers` takes a `WorkerCall`; small changes stand
///    in a [GroupCommitQueue], whose worker hands over a `GroupCommitBatch` that waits for the
///    journal (`StableReply`).
/// 5. **What is bounded.** `MessagePool`, `RpcLeases`; what is counted: `RpcCounters`.
package sluice.nfs.rpc;
