package sluice.nfs;

import java.net.InetAddress;
import java.net.UnknownHostException;

/// A rule for the client addresses that may use an export: one address, or a network. Immutable and
/// thread-safe.
public final class ClientRule {
  private final byte[] network;
  private final int bits;

  private ClientRule(byte[] network, int bits) {
    this.network = network;
    this.bits = bits;
  }

  /// Parses a rule.
  ///
  /// @param text an address or a network, such as `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`; no
  ///   host names, which would need a DNS lookup
  /// @throws IllegalArgumentException for anything else
  public static ClientRule of(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    try {
      boolean literal = !address.isEmpty() && address.matches("[0-9.]+|[0-9a-fA-F:.]*:.*");
      if (literal) {
        byte[] network = InetAddress.getByName(address).getAddress();
        int all = 8 * network.length;
        int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
        if (bits >= 0 && bits <= all) {
          return new ClientRule(network, bits);
        }
      }
    } catch (UnknownHostException | NumberFormatException _) {
      // reported below
    }
    throw new IllegalArgumentException(
        "a client is an address or a network such as 192.0.2.0/24, not " + text);
  }

  /// Returns true if the rule includes a client address. IPv4 and IPv6 addresses never match each
  /// other.
  public boolean matches(InetAddress client) {
    byte[] address = client.getAddress();
    if (address.length != network.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit += 8) {
      int mask = bits - bit >= 8 ? 0xFF : 0xFF00 >> (bits - bit) & 0xFF;
      if (((address[bit >> 3] ^ network[bit >> 3]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
