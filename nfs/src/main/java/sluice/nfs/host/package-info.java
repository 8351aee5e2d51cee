/// A directory of this machine as a [sluice.fs.FileTree]. [HostTree] is the only public class. The
/// package does not know NFS or the network.
///
/// `HostFiles` maps inode numbers to `HostFile`s, each with the handle that the kernel has given
/// (`name_to_handle_at`). `HostDescriptors` caches open descriptors. `HostCalls` runs system calls
/// as another user. `HostAttributes`, `HostChanges` and `HostContent` handle extended attributes,
/// stability and data.
package sluice.nfs.host;
