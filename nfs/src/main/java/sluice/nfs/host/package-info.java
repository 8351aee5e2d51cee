/// A directory of this machine as a [sluice.fs.FileTree]. [HostTree] is the only public class. This
/// package does not depend on NFS or on the network.
///
/// `HostFiles` maps inode numbers to `HostFile`s, each with the handle that the kernel assigned to
/// it (`name_to_handle_at`). `HostDescriptors` caches open descriptors. `HostCalls` executes system
/// calls on behalf of another user. `HostAttributes`, `HostChanges` and `HostContent` handle
/// extended attributes, stability and data.
package sluice.nfs.host;
