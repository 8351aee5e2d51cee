package sluice.nfs.rpc;

import sluice.fs.FileTree;

/// The change that a reply waits for. Immutable.
///
/// @param tree the changed tree
/// @param point the point that must be stable
/// @param then is called when the point is stable, or with the reason why it cannot be; may change
///   the reply
record StableReply(FileTree tree, long point, FileTree.StableListener then) {}
