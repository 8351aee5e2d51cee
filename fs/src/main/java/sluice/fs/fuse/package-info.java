/// A [sluice.fs.FileTree] mounted in the kernel's tree, without libfuse: [FuseMount] is its whole
/// interface.
///
/// `FuseServer` mounts and starts what answers: `FuseWorker`s by messages of `/dev/fuse`, or
/// `FuseRings` with a `FuseRingWorker` a processor. Both hand a `FuseRequest` to the `FuseSession`,
/// whose parts answer it: `FuseFiles`, `FuseDirectories`, `FuseAttributes`, `FuseXattrs`,
/// `FuseLookups`. `FuseNodes` is what the kernel remembers of us, `FuseLayout` the bytes.
package sluice.fs.fuse;
