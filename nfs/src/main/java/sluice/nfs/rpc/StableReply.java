package sluice.nfs.rpc;

import sluice.fs.FileTree;

/// The change that must be stable before a reply is sent. Instances are immutable.
///
/// @param tree the changed tree
/// @param point the point that must be stable
/// @param then the listener that is notified when the point is stable or cannot be made stable; it
///   may change the reply
record StableReply(FileTree tree, long point, FileTree.StableListener then) {}
