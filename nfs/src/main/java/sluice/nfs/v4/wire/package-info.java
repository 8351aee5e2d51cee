/// What a COMPOUND carries (RFC 8881), without what clients have open: operations (`Nfs4Op`) and
/// status codes (`Nfs4Status`), attributes (`Nfs4Attribute`, `Bitmap`; `Nfs4RequestedAttributes`
/// reads what a client wants changed, `IdNames` its users), `LockRange`, `Nfs4Channel`, `Opaque`.
package sluice.nfs.v4.wire;
