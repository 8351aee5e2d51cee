package sluice.nfs.v4;

/// Limits on the state that the NFSv4.1 server keeps for its clients. Immutable and thread-safe.
///
/// @param leaseSeconds the time after which a silent client may lose its state
/// @param clients the number of clients
/// @param clientsPerHost the number of clients on one machine: an IPv4 address or a /64 network of
///   IPv6
/// @param sessionsPerClient the number of sessions of one client
/// @param sessionsPerHost the number of sessions of all clients on one machine
/// @param sessions the number of sessions; each has up to 64 slots, and each slot caches up to 4 KB
/// @param states the number of opens and lock owners of all clients
/// @param statesPerClient the number of opens and lock owners of one client
/// @param rangesPerClient the number of byte ranges locked by one client
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
