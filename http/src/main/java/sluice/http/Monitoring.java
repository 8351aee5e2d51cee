package sluice.http;

import java.net.SocketAddress;
import java.util.List;

/// The addresses at which a server answers `/metrics` and `/healthz` without TLS. Immutable, so any
/// thread may read it.
///
/// @param addresses the addresses to listen on; port 0 lets the kernel choose a port
/// @param adoptedFds listening descriptors that the server takes over, for example from systemd
public record Monitoring(List<SocketAddress> addresses, List<Integer> adoptedFds) {
  public static final Monitoring NONE = new Monitoring(List.of(), List.of());

  public Monitoring {
    addresses = List.copyOf(addresses);
    adoptedFds = List.copyOf(adoptedFds);
  }

  public static Monitoring at(SocketAddress address) {
    return new Monitoring(List.of(address), List.of());
  }

  boolean wanted() {
    return !addresses.isEmpty() || !adoptedFds.isEmpty();
  }
}
