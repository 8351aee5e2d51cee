package sluice.host.site;

import java.util.ArrayList;
import java.util.List;
import sluice.host.file.UsageException;
import sluice.http.clients.ClientLimits;
import sluice.http.rules.AddressRange;

/// The options of `sluice serve` that concern client addresses. Instances are confined to the main
/// thread.
final class ClientOptions {
  private static final int LEAST_DEFAULT_BURST = 10;

  int connections;
  int requests;
  int burst;
  private List<AddressRange> proxies = List.of();

  /// Sets the addresses of the proxies.
  ///
  /// @param name the name of the setting, for messages
  /// @param list the addresses, separated by commas
  void proxies(String name, String list) throws UsageException {
    List<AddressRange> read = new ArrayList<>();
    for (String each : list.split(",", -1)) {
      try {
        read.add(AddressRange.of(each.strip()));
      } catch (IllegalArgumentException e) {
        throw new UsageException(name + ": " + e.getMessage());
      }
    }
    proxies = read;
  }

  List<AddressRange> proxies() {
    return proxies;
  }

  /// Returns the limits per client address.
  ///
  /// @throws UsageException if a burst is specified without a rate
  ClientLimits limits() throws UsageException {
    if (requests == 0 && burst > 0) {
      throw new UsageException("burst-per-address is for requests-per-address, which is not given");
    }
    int atOnce = burst > 0 || requests == 0 ? burst : Math.max(LEAST_DEFAULT_BURST, requests);
    return new ClientLimits(connections, requests, atOnce);
  }
}
