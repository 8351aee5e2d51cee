/// The ext2 file system, a [sluice.fs.FileTree] on a buffer cache and a journal.
///
/// An order for reading the code; each step needs only the steps before it:
///
/// 1. **On the device.** Package `layout` has the structures; package `format` makes an image,
///    [Ext2Check] checks one.
/// 2. **In memory.** [Ext2] mounts an image and delegates. `Volume` is the state that its
///    `Ext2Parts` share, `Operation` is one change in progress.
/// 3. **Files.** `Inode`, `InodeCache`, `InodeTable`; files without a name: `Orphans`.
/// 4. **Content.** `FileContent` reads and `FileWriter` writes; `BlockMap` locates the blocks.
/// 5. **Names.** `Namespace`, `Renames`, `Directories`; in memory `DentryCache` and
///    `DirectoryIndex`, on the device `HashTree`; `DirectoryLister` lists in `HashOrder`.
/// 6. **Space.** `GroupDescriptors`, `BlockAllocator`, `InodeAllocator`.
package sluice.fs.ext2;
