/// What users of an NFS server say: [NfsConfig], [NfsExport] with [ExportOptions], [RpcLimits].
///
/// `NfsServer` in package `server` is started with that. The packages, from the bottom; each names
/// only those below it:
///
/// ```
/// server   NfsServer: programs, port, portmapper put together    → all
/// v3, v4   MOUNT and NFSv3; NFSv4.1                               → export, rpc
/// export   what both versions share: exports, file handles, the
///          server's own files in a tree, status codes             → rpc
/// rpc      ONC RPC over TCP and UDP, XDR, portmapper: no files
/// host     a directory of this machine as a FileTree: no network
/// ```
///
/// Users need this package, `server`, and `host` for a directory; no others are exported.
package sluice.nfs;
