/// The configuration of an NFS server: [NfsConfig], [NfsExport] with [ExportOptions], [RpcLimits].
///
/// `NfsServer` in package `server` is started with such a configuration. The following list shows
/// the packages from top to bottom. Each package imports only packages below it.
///
/// ```
/// server   NfsServer: programs, ports and portmapper             → all
/// v3, v4   MOUNT and NFSv3; NFSv4.1                              → export, rpc
/// export   shared by both versions: exports, file handles, the
///          server's own files in a tree, status codes            → rpc
/// rpc      ONC RPC over TCP and UDP, XDR, portmapper; no files
/// host     a directory of this machine as a FileTree; no network
/// ```
///
/// The module exports this package, `server`, and `host`, which provides a directory of this
/// machine.
package sluice.nfs;
