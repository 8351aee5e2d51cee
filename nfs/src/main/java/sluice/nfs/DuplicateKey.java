package sluice.nfs;

import java.net.InetAddress;

/// What a repeated call has in common with the first. Immutable: any thread may use it.
///
/// The client's port is not in it: a client that comes back after a restart may come from another.
///
/// @param client its address
/// @param xid which it chose
/// @param checksum over the arguments
/// @param procedure number, and the program's version times 256
/// @param credentials a sum over who called
record DuplicateKey(InetAddress client, int xid, int checksum, int procedure, int credentials) {
  static DuplicateKey of(RpcCall call) {
    Credentials by = call.credentials();
    int who = 31 * (31 * by.uid() + by.gid()) + by.machine().hashCode();
    int procedure = call.version() << 8 | call.procedure();
    return new DuplicateKey(call.client(), call.xid(), call.checksum(), procedure, who);
  }
}
