package sluice.nfs.rpc;

import sluice.fs.FileTree;

/// What the reply to a call waits for. Immutable.
///
/// @param tree that was changed
/// @param point that must be stable
/// @param then hears that it is, or why it never will be; may change the reply
record StableReply(FileTree tree, long point, FileTree.StableListener then) {}
