/// NFSv3 and MOUNT (RFC 1813): [Nfs3Program] and [MountProgram].
///
/// What the loop's thread answers itself is in `Nfs3FastPath`; a worker has an `Nfs3Call`, and the
/// procedures are in `Nfs3Reading`, `Nfs3Listing`, `Nfs3System`, `Nfs3Writing`, `Nfs3Names`,
/// `Nfs3Removing`. `Nfs3Change` is the frame of every change; `DuplicateRequestCache` answers a
/// repeated one as the first time.
package sluice.nfs.v3;
