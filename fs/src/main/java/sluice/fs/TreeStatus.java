package sluice.fs;

/// The status of a tree at a point in time, as returned by `statfs(2)`. Instances are immutable and
/// thread-safe.
///
/// @param blockBytes the unit of the block counts
/// @param blocks the total number of blocks
/// @param freeBlocks the number of unused blocks
/// @param availableBlocks the number of unused blocks that are available to users other than root
/// @param inodes the maximum number of files
/// @param freeInodes the number of files that can still be created
/// @param nameBytes the maximum length of a name
/// @param maxLinks the maximum number of names of a file
/// @param maxFileBytes the maximum length of a file
/// @param id an identifier that differs between trees and is preserved across restarts
/// @param readOnly true if all changes are rejected
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
