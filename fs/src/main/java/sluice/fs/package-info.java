/// Defines the interface between file systems and their users.
///
/// [FileTree] is the central interface. It uses inode numbers, [Caller], [FileAttributes],
/// [AttributeChange], [NewFile] and [FsException], and passes content in memory objects
/// ([SliceSink]). See `docs/storage.md` for how to use it and `docs/design/004-storage.md` for the
/// design decisions. The other packages are listed from top to bottom:
///
/// ```
/// provider, fuse   export any FileTree: to java.nio.file, to the kernel's VFS
/// ext2             implements it; its `format` makes images, its `layout` defines their bytes
/// storage          opens the layers below: a device, a cache on it, a journal on that
/// journal          makes many changes of blocks one
/// cache, device    blocks in memory; devices in memory, in a file, on io_uring
/// block            the interfaces of devices, caches and journals
/// ```
package sluice.fs;
