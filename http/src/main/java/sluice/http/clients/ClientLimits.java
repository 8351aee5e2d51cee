package sluice.http.clients;

/// The limits for the clients of one address, which apply to all loops together. An address is an
/// IPv4 address, or the first 64 bits of an IPv6 address because that range is usually assigned to
/// a single client. Immutable, so any thread may read it.
///
/// @param connections the maximum number of concurrent connections, or 0 if unlimited
/// @param requestsPerSecond the maximum average number of requests per second, or 0 if unlimited
/// @param burst the number of requests that may arrive at once after a pause, at least 1 if
///   requests are limited
public record ClientLimits(int connections, int requestsPerSecond, int burst) {
  /// No limits.
  public static final ClientLimits NONE = new ClientLimits(0, 0, 0);

  /// The maximum value of each limit. Since a single loop can answer two million pipelined requests
  /// per second, the limit can be set above the capacity of a server. Up to this value, the
  /// interval of a request in whole nanoseconds is accurate to one percent.
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

  /// Returns true if any limit is set.
  public boolean any() {
    return connections > 0 || requestsPerSecond > 0;
  }
}
