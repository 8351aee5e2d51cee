/// The file system ext2, a [sluice.fs.FileTree] over the blocks of `sluice.fs.block`.
///
/// A way to read it; each step needs only what came before.
///
/// 1. **On the device.** `*Layout` classes are the structures; `Geometry` the shape of an image,
///    `Features` what of it we know; [Ext2Format] makes one, [Ext2Check] checks one.
/// 2. **In memory.** [Ext2] mounts and delegates. `Volume` is what its `Parts` share, `Operation`
///    one change under way.
/// 3. **Files.** `Inode`, `InodeCache`, `InodeTable`; those that lost their last name: `Orphans`.
/// 4. **Content.** `FileContent` reads and `FileWriter` changes, `BlockMap` knows where.
/// 5. **Names.** `Namespace`, `Renames`, `Directories`; in memory `DentryCache` and
///    `DirectoryIndex`, on the device `HashTree`; `DirectoryLister` lists in `HashOrder`.
/// 6. **Space.** `GroupDescriptors`, `BlockAllocator`, `InodeAllocator`.
package sluice.fs.ext2;
