/// The on-disk format of ext2, as bytes: without I/O and locks.
///
/// The `*Layout` classes are the structures; `Geometry` is the shape of an image, `Features` its
/// feature bits. Within blocks: `EntryBytes` of a directory, `HashTreeNode` of its index,
/// `AttributeRegion` of extended attributes, `BitRun` of bitmaps. `HashOrder` and `HashBatch`
/// define the order in which names are listed.
package sluice.fs.ext2.layout;
