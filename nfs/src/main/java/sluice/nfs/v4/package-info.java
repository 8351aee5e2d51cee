/// NFSv4.1 (RFC 8881): [Nfs4Program].
///
/// A way to read it; each step needs only what came before.
///
/// 1. **A COMPOUND.** `Nfs4Program` runs the operations of an `Nfs4Compound`, which
///    `Nfs4Operations` finds by number: `Nfs4ClientOperations` (sessions), `Nfs4NameOperations`,
///    `Nfs4FileOperations`, `Nfs4OpenOperations`, `Nfs4LockOperations`, `Nfs4Listing`. 2. **What
///    clients have.** `Nfs4StateManager` has it all: `Nfs4Client` with `Nfs4Session`s and their
///    `Nfs4Slot`s; `Nfs4File` with `Nfs4Open`s and `Nfs4Lock`s (`ByteRanges`), each an `Nfs4State`
///    with a `StateId`. 3. **After a crash.** `Nfs4ReplayCache` what was answered, `StableClients`
///    which clients may claim, `Nfs4Grace` until when. 4. **Attributes.** `Nfs4Attributes` writes
///    them. Package `wire` numbers them and reads what a client wants changed, as it has all that a
///    COMPOUND carries. 5. **Above the exports.** `PseudoRoot` and `PseudoTree`: the directories
///    that lead to them.
package sluice.nfs.v4;
