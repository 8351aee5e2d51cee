package sluice.nfs.v4;

import sluice.nfs.export.FileHandles;

/// The objects that all operations of NFSv4.1 share. Immutable and thread-safe.
///
/// @param handles the file handles of the exports
/// @param pseudo the root of the name space
/// @param attributes the encoder of attributes
/// @param stateManager the state of all clients
/// @param replayCache the replies of earlier starts
/// @param writeVerifier a number that differs between two starts of the server
record Nfs4Services(
    FileHandles handles,
    PseudoRoot pseudo,
    Nfs4Attributes attributes,
    Nfs4StateManager stateManager,
    Nfs4ReplayCache replayCache,
    long writeVerifier) {}
