/// The file system ext2, a [sluice.fs.FileTree] over a buffer cache and a journal.
///
/// A way to read it; each step needs only what came before.
///
/// 1. **On the device.** Package `layout` has the structures; package `format` makes an image,
///    [Ext2Check] checks one.
/// 2. **In memory.** [Ext2] mounts and delegates. `Volume` is what its `Ext2Parts` share,
///    `Operation` one change under way.
/// 3. **Files.** `Inode`, `InodeCache`, `InodeTable`; those that lost their last name: `Orphans`.
/// 4. **Content.** `FileContent` reads and `FileWriter` changes, `BlockMap` knows where.
/// 5. **Names.** `Namespace`, `Renames`, `Directories`; in memory `DentryCache` and
///    `DirectoryIndex`, on the device `HashTree`; `DirectoryLister` lists in `HashOrder`.
/// 6. **Space.** `GroupDescriptors`, `BlockAllocator`, `InodeAllocator`.
package sluice.fs.ext2;
