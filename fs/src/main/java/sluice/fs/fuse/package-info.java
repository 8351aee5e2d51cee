/// Mounts a [sluice.fs.FileTree] in the kernel's directory tree, without libfuse. [FuseMount] is
/// the public entry.
///
/// `FuseMount` mounts and starts the `FuseServer`s: `FuseWorker`s, which read messages from
/// `/dev/fuse`, or `FuseRings` with a `FuseRingWorker` per processor. Both pass a `FuseRequest` to
/// a `FuseDispatcher`, whose handlers reply: `FuseFiles`, `FuseDirectories`, `FuseNames`,
/// `FuseAttributes`, `FuseXattrs`. `FuseSession` is the state that they share, `FuseNodes` with its
/// `FuseLookups` the inodes that the kernel knows, `FuseLayout` the bytes.
package sluice.fs.fuse;
