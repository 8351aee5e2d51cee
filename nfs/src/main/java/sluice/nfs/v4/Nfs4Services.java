package sluice.nfs.v4;

import sluice.nfs.export.FileHandles;

/// The objects that are shared by all operations of NFSv4.1. Instances are immutable and
/// thread-safe.
///
/// @param handles the file handles of the exports
/// @param pseudo the root of the name space
/// @param attributes the encoder of attributes
/// @param stateManager the state of all clients
/// @param replayCache the replies of previous runs of the server
/// @param writeVerifier a number that changes whenever the server is restarted
record Nfs4Services(
    FileHandles handles,
    PseudoRoot pseudo,
    Nfs4Attributes attributes,
    Nfs4StateManager stateManager,
    Nfs4ReplayCache replayCache,
    long writeVerifier) {}
