/// The data types of a COMPOUND (RFC 8881), without the state of clients: operations (`Nfs4Op`) and
/// status codes (`Nfs4Status`), attributes (`Nfs4Attribute`, `Bitmap`; `Nfs4RequestedAttributes`
/// reads the attributes that a client sets, `IdNames` its user names), `LockRange`, `Nfs4Channel`,
/// `Opaque`.
package sluice.nfs.v4.wire;
