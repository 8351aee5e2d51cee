/// The data types of a COMPOUND (RFC 8881), not including the state of clients. There are
/// operations (`Nfs4Op`) and status codes (`Nfs4Status`), attributes (`Nfs4Attribute` and
/// `Bitmap`), and the types `LockRange`, `Nfs4Channel` and `Opaque`. `Nfs4RequestedAttributes`
/// reads the attributes that a client sets, and `IdNames` parses user and group names.
package sluice.nfs.v4.wire;
