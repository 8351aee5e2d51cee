/// Implements the ext2 file system as a [sluice.fs.FileTree] on top of a buffer cache and a
/// journal.
///
/// The code can be read in the following order, in which each step depends only on the earlier
/// steps:
///
/// 1. **On the device.** Package `layout` defines the structures, package `format` creates an
///    image, and [Ext2Check] checks an image.
/// 2. **In memory.** [Ext2] mounts an image and delegates to the other classes. `Volume` contains
///    the state that is shared by `Ext2Parts`, and `Operation` is a single change in progress.
/// 3. **Files.** `Inode`, `InodeCache` and `InodeTable`, and `Orphans` for files that have no name.
/// 4. **Content.** `FileContent` reads, `FileWriter` writes, and `BlockMap` locates the blocks.
/// 5. **Names.** `Namespace`, `Renames` and `Directories`. Names are located by `DentryCache` and
///    `DirectoryIndex` in memory and by `HashTree` on the device. `DirectoryLister` lists them in
///    the order of `HashOrder`.
/// 6. **Space.** `GroupDescriptors`, `BlockAllocator` and `InodeAllocator`.
package sluice.fs.ext2;
