/// Mounts a [sluice.fs.FileTree] in the kernel's directory tree without libfuse. [FuseMount] is the
/// public entry point.
///
/// `FuseMount` mounts the tree and starts the `FuseServer`s. These are either `FuseWorker`s, which
/// read messages from `/dev/fuse`, or `FuseRings` with a `FuseRingWorker` for each processor. Both
/// pass each `FuseRequest` to a `FuseDispatcher`, which invokes one of the handlers `FuseFiles`,
/// `FuseDirectories`, `FuseNames`, `FuseAttributes` and `FuseXattrs`. `FuseSession` is the state
/// that they share. `FuseNodes` and its `FuseLookups` track the inodes that are known to the
/// kernel, and `FuseLayout` defines the message format.
package sluice.fs.fuse;
