package sluice.nfs.v4;

import sluice.nfs.export.FileHandles;

/// What the operations of NFSv4.1 share: the name space, the state, and what is the same for all
/// clients. Immutable; any thread may use it.
///
/// @param handles of the exports
/// @param pseudo where the name space begins
/// @param attributes writes attributes
/// @param stateManager the state of all clients
/// @param replayCache what was answered before this start
/// @param writeVerifier differs from that of the server before
record Nfs4Services(
    FileHandles handles,
    PseudoRoot pseudo,
    Nfs4Attributes attributes,
    Nfs4StateManager stateManager,
    Nfs4ReplayCache replayCache,
    long writeVerifier) {}
