package sluice.nfs.rpc;

/// The key by which a retransmitted call is recognized. Immutable and thread-safe.
///
/// The client's port is not part of the key, because a client that reconnects after a restart of
/// the server may use another port.
///
/// @param clientHigh the first half of the client's address in IPv6 form, or of the session ID for
///   NFSv4.1
/// @param clientLow the second half of the same address or session ID
/// @param xid the transaction ID, or the sequence number of the slot for NFSv4.1
/// @param checksum the checksum of the arguments
/// @param procedure the procedure number (the slot number for NFSv4.1) plus 256 times the program
///   version
/// @param credentials a hash of the caller's credentials
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

  /// Returns the program version.
  public int version() {
    return procedure >>> 8;
  }
}
