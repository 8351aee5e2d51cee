/// NFSv4.1 (RFC 8881): [Nfs4Program].
///
/// The following reading order ensures that each step requires only the previous ones:
///
/// 1. **A COMPOUND.** `Nfs4Program` executes the operations of an `Nfs4Compound`. `Nfs4Operations`
///    dispatches them by number to `Nfs4ClientOperations` (sessions), `Nfs4NameOperations`,
///    `Nfs4FileOperations`, `Nfs4OpenOperations`, `Nfs4LockOperations` and `Nfs4Listing`.
/// 2. **The state of clients.** `Nfs4StateManager` manages the state, which includes each
///    `Nfs4Client` with its `Nfs4Session`s and their `Nfs4Slot`s, and each `Nfs4File` with its
///    `Nfs4Open`s and `Nfs4Lock`s (`ByteRanges`). Opens and locks are `Nfs4State`s with a
///    `StateId`.
/// 3. **After a crash.** `Nfs4ReplayCache` contains the replies of previous runs, `StableClients`
///    records the clients that may reclaim their state, and `Nfs4Grace` determines the end of the
///    grace period.
/// 4. **Attributes.** `Nfs4Attributes` writes them. Package `wire` defines their numbers and reads
///    the attributes that a client sets. It also contains all other data types of a COMPOUND.
/// 5. **Above the exports.** `PseudoRoot` and `PseudoTree` implement the directories that lead to
///    the exports.
package sluice.nfs.v4;
