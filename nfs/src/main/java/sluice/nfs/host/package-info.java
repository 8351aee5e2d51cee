/// A directory of this machine as a [sluice.fs.FileTree]: [HostTree] is its whole interface. Knows
/// nothing of NFS or of a network.
///
/// `HostFiles` finds a `HostFile` by number, its handle is what the kernel says
/// (`name_to_handle_at`); `HostDescriptors` keeps some open; `HostCalls` makes calls as another
/// user. Attributes, changes and content are `HostAttributes`, `HostChanges`, `HostContent`.
package sluice.nfs.host;
