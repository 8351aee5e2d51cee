package sluice.nfs.rpc;

/// What a repeated call has in common with the first. Immutable: any thread may use it.
///
/// The client's port is not in it: a client that comes back after a restart may come from another.
///
/// @param clientHigh first half of its address as one of IPv6; for NFSv4.1 of the session's id
/// @param clientLow second half
/// @param xid which it chose; for NFSv4.1 the slot's sequence number
/// @param checksum over the arguments
/// @param procedure number, for NFSv4.1 the slot's; and the program's version times 256
/// @param credentials a sum over the caller's
public record DuplicateKey(
    long clientHigh, long clientLow, int xid, int checksum, int procedure, int credentials) {
  public static DuplicateKey of(RpcCall call) {
    Credentials by = call.credentials();
    int caller = 31 * (31 * by.uid() + by.gid()) + by.machine().hashCode();
    int procedure = call.version() << 8 | call.procedure();
    RpcConnection from = call.connection();
    return new DuplicateKey(
        from.addressHigh(), from.addressLow(), call.xid(), call.checksum(), procedure, caller);
  }

  /// The program's version.
  public int version() {
    return procedure >>> 8;
  }
}
