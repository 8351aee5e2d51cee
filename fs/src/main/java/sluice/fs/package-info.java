/// What users of a file system see, whatever is below it.
///
/// [FileTree] is the seam: inode numbers, [Caller], [FileAttributes], [AttributeChange], [NewFile],
/// [FsException], content in memory objects ([SliceSink]). `docs/storage.md` shows the use,
/// `docs/design/004-storage.md` the decisions. The other packages, from the bottom:
///
/// ```
/// provider, fuse   show any FileTree to others: java.nio.file, the kernel's tree
/// ext2             is one; its `format` makes images, its `layout` is their bytes
/// storage          opens what is below: a device, a cache over it, a journal over that
/// journal          many changes of blocks as one
/// cache, device    blocks in memory; memory, a file, io_uring
/// block            what devices and caches are
/// ```
package sluice.fs;
