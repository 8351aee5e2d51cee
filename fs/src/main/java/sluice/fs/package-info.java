/// What users of a file system see, whatever is below it.
///
/// [FileTree] is the seam: inode numbers, [Caller], [FileAttributes], [AttributeChange], [NewFile],
/// [FsException], content in memory objects ([SliceSink]). `docs/storage.md` shows the use,
/// `docs/design/004-storage.md` the decisions. The other packages, from the bottom:
///
/// ```
/// provider, fuse   show any FileTree to others: java.nio.file, the kernel's tree
/// ext2             is one, over a cache and a journal
/// block            devices, a buffer cache, a journal: they know of no files
/// ```
package sluice.fs;
