/// Defines the on-disk format of ext2 in terms of bytes, without I/O and locks.
///
/// The `*Layout` classes define the structures. `Geometry` describes the geometry of an image, and
/// `Features` its feature bits. The content of blocks is accessed with `EntryBytes` for
/// directories, `HashTreeNode` for their indexes, `AttributeRegion` for extended attributes, and
/// `BitRun` for bitmaps. `HashOrder` and `HashBatch` define the order in which names are listed.
package sluice.fs.ext2.layout;
