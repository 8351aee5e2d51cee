package sluice.http.clients;

/// The limits for the clients of one address, all loops together. An address is an IPv4 address, or
/// the first 64 bits of an IPv6 address, which a single client has to itself. Immutable: any thread
/// may read it.
///
/// @param connections at the same time; 0 for no limit
/// @param requestsPerSecond on average; 0 for no limit
/// @param burst requests that may come at once after a pause; at least 1 if requests are limited
public record ClientLimits(int connections, int requestsPerSecond, int burst) {
  /// No limits.
  public static final ClientLimits NONE = new ClientLimits(0, 0, 0);

  /// The greatest value of each: a single loop answers two million requests a second of a client
  /// that pipelines them, and a limit above the capacity of a server must be possible. Up to this
  /// value a request's interval, in whole nanoseconds, is exact to a hundredth.
  public static final int MOST = 10_000_000;

  public ClientLimits {
    check("connections", connections);
    check("requestsPerSecond", requestsPerSecond);
    check("burst", burst);
    if ((requestsPerSecond == 0) != (burst == 0)) {
      throw new IllegalArgumentException("a burst is for limited requests, and they have one");
    }
  }

  private static void check(String name, int value) {
    if (value < 0 || value > MOST) {
      throw new IllegalArgumentException(name + " must be 0 to " + MOST + ": " + value);
    }
  }

  boolean limitsRequests() {
    return requestsPerSecond > 0;
  }

  /// Returns true if anything is limited.
  public boolean any() {
    return connections > 0 || requestsPerSecond > 0;
  }
}
