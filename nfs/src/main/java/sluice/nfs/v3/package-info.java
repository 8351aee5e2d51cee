/// NFSv3 and MOUNT (RFC 1813): [Nfs3Program] and [MountProgram].
///
/// `Nfs3FastPath` answers calls on the loop's thread. On a worker, the state of a call is stored in
/// an `Nfs3Call`. The procedures are in `Nfs3Reading`, `Nfs3Listing`, `Nfs3System`, `Nfs3Writing`,
/// `Nfs3Names` and `Nfs3Removing`. `Nfs3Change` executes all changes, and `DuplicateRequestCache`
/// answers retransmissions.
package sluice.nfs.v3;
