package sluice.fs;

/// The status of a tree at one moment, as in `statfs(2)`. Immutable and safe for use by any thread.
///
/// @param blockBytes unit of the block counts
/// @param blocks size of the tree
/// @param freeBlocks unused blocks
/// @param availableBlocks unused blocks that users other than root may take
/// @param inodes maximum number of files
/// @param freeInodes number of files that can still be created
/// @param nameBytes length of the longest name
/// @param maxLinks maximum number of names of a file
/// @param maxFileBytes length of the longest file
/// @param id distinguishes trees, stable over restarts
/// @param readOnly true if changes are rejected
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
