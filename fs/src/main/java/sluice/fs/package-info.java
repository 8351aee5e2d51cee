/// The interface of file systems to their users.
///
/// [FileTree] is the central interface: inode numbers, [Caller], [FileAttributes],
/// [AttributeChange], [NewFile], [FsException], content in memory objects ([SliceSink]).
/// `docs/storage.md` shows the use, `docs/design/004-storage.md` the decisions. The other packages,
/// from the top:
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
