package sluice.nfs.v4;

import sluice.nfs.export.FileHandles;

/// What the operations of NFSv4.1 share: the name space, the state, and what is the same for all
/// clients. Immutable; any thread may use it.
///
/// @param handles of the exports
/// @param pseudo where the name space begins
/// @param attributes writes attributes
/// @param ledger the state of all clients
/// @param past what was answered before this start
/// @param writeVerifier differs from that of the server before
record Nfs4Services(
    FileHandles handles,
    PseudoRoot pseudo,
    Nfs4Attributes attributes,
    Nfs4Ledger ledger,
    Nfs4PastAnswers past,
    long writeVerifier) {}
