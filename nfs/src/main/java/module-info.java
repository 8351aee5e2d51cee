import org.jspecify.annotations.NullMarked;

/// Exports file systems to other machines by MOUNT and NFS, using XDR and ONC RPC over TCP and UDP.
///
/// Each call is decoded in the receive buffer on the loop's thread ([sluice.nfs.rpc.RpcProgram]).
/// If the call would have to wait, it is passed to a worker. Replies are sent in the order of their
/// completion.
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
