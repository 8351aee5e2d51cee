import org.jspecify.annotations.NullMarked;

/// File systems for other machines: XDR, ONC RPC over TCP and UDP, MOUNT and NFS.
///
/// A message is shown to an [sluice.nfs.rpc.RpcProgram] where it landed, on the loop's thread; what
/// cannot be answered without waiting goes to a worker and is answered in any order.
@NullMarked
module sluice.nfs {
  requires static org.jspecify;
  requires transitive sluice.fs;
  requires transitive sluice.loop;
  requires transitive sluice.memory;
  requires sluice.sys;

  exports sluice.nfs;
  exports sluice.nfs.host;
  exports sluice.nfs.server;
}
