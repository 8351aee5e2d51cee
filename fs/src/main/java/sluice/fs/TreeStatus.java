package sluice.fs;

/// What `statfs(2)` tells of a tree, as of one moment. Immutable: any thread may use it.
///
/// @param blockBytes unit of the block counts
/// @param blocks size of the tree
/// @param freeBlocks unused blocks
/// @param availableBlocks unused blocks that users other than root may take
/// @param inodes files it can hold
/// @param freeInodes files it can still take
/// @param nameBytes length of the longest name
/// @param maxLinks names a file may have
/// @param maxFileBytes length of the longest file
/// @param id tells trees apart, stable over restarts
/// @param readOnly whether changes are refused
public record TreeStatus(
    int blockBytes,
    long blocks,
    long freeBlocks,
    long availableBlocks,
    long inodes,
    long freeInodes,
    int nameBytes,
    int maxLinks,
    long maxFileBytes,
    long id,
    boolean readOnly) {}
