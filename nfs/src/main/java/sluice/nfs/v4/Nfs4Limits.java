package sluice.nfs.v4;

/// Limits on the state that the NFSv4.1 server stores for its clients. Instances are immutable and
/// thread-safe.
///
/// @param leaseSeconds the lease time in seconds, after which the state of an inactive client may
///   be removed
/// @param clients the maximum number of clients
/// @param clientsPerHost the maximum number of clients on one machine, which is an IPv4 address or
///   an IPv6 network with a /64 prefix
/// @param sessionsPerClient the maximum number of sessions of one client
/// @param sessionsPerHost the maximum number of sessions of all clients on one machine
/// @param sessions the maximum number of sessions, each of which has up to 64 slots that cache up
///   to 4 KB
/// @param states the maximum number of opens and lock owners of all clients
/// @param statesPerClient the maximum number of opens and lock owners of one client
/// @param rangesPerClient the maximum number of byte ranges that one client may lock
record Nfs4Limits(
    int leaseSeconds,
    int clients,
    int clientsPerHost,
    int sessionsPerClient,
    int sessionsPerHost,
    int sessions,
    int states,
    int statesPerClient,
    int rangesPerClient) {
  static Nfs4Limits defaults() {
    return new Nfs4Limits(90, 1024, 256, 16, 128, 512, 1 << 18, 1 << 16, 1 << 14);
  }

  long leaseNanos() {
    return leaseSeconds * 1_000_000_000L;
  }
}
