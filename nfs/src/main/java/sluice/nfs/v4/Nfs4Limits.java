package sluice.nfs.v4;

/// How much the NFSv4.1 server remembers for its clients, and for how long. Immutable: any thread
/// may use it.
///
/// @param leaseSeconds a client that was silent for longer may lose its state
/// @param clients at a time
/// @param clientsPerHost of one machine: an address of IPv4, a network of 64 bits of IPv6
/// @param sessionsPerClient at a time
/// @param sessionsPerHost of the clients of one machine, so that it leaves room for others
/// @param sessions of all clients; each has up to 64 slots, each of which keeps up to 4 KB
/// @param states opens and lock owners of all clients
/// @param statesPerClient opens and lock owners of one client
/// @param rangesPerClient locked byte ranges of one client
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
