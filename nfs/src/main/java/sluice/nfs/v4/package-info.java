/// NFSv4.1 (RFC 8881): [Nfs4Program].
///
/// A reading order in which each step needs only the steps before it:
///
/// 1. **A COMPOUND.** `Nfs4Program` runs the operations of an `Nfs4Compound`. `Nfs4Operations`
///    dispatches them by number to `Nfs4ClientOperations` (sessions), `Nfs4NameOperations`,
///    `Nfs4FileOperations`, `Nfs4OpenOperations`, `Nfs4LockOperations` and `Nfs4Listing`.
/// 2. **The state of clients.** `Nfs4StateManager` holds it: each `Nfs4Client` with its
///    `Nfs4Session`s and their `Nfs4Slot`s, and each `Nfs4File` with its `Nfs4Open`s and
///    `Nfs4Lock`s (`ByteRanges`). Opens and locks are `Nfs4State`s with a `StateId`.
/// 3. **After a crash.** `Nfs4ReplayCache` has the replies of the last start, `StableClients` the
///    clients that may reclaim, and `Nfs4Grace` ends the grace period.
/// 4. **Attributes.** `Nfs4Attributes` writes them. Package `wire` numbers them and reads the
///    attributes that a client sets, as all other data types of a COMPOUND.
/// 5. **Above the exports.** `PseudoRoot` and `PseudoTree` are the directories that lead to the
///    exports.
package sluice.nfs.v4;
