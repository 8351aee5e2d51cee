/// What of ext2 stands on the device, as bytes: no I/O, no locks.
///
/// `*Layout` classes are the structures; `Geometry` is the shape of an image, `Features` what of it
/// we know. Within blocks: `EntryBytes` of a directory, `HashTreeNode` of its index,
/// `AttributeRegion` of extended attributes, `BitRun` of bitmaps. `HashOrder` and `HashBatch` are
/// the order in which names are listed.
package sluice.fs.ext2.layout;
