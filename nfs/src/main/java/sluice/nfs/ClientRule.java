package sluice.nfs;

import java.net.InetAddress;
import java.net.UnknownHostException;

/// A rule that selects the client addresses that may use an export. It matches either one address
/// or a network. Instances are immutable and thread-safe.
public final class ClientRule {
  private final byte[] network;
  private final int bits;

  private ClientRule(byte[] network, int bits) {
    this.network = network;
    this.bits = bits;
  }

  /// Parses a rule.
  ///
  /// @param text an address or a network, such as `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`;
  ///   host names are not accepted because they would require a DNS lookup
  /// @throws IllegalArgumentException if the text is neither an address nor a network
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
      // The exception below reports the error.
    }
    throw new IllegalArgumentException(
        "a client is an address or a network such as 192.0.2.0/24, not " + text);
  }

  /// Returns true if this rule includes the given client address. An IPv4 address never matches an
  /// IPv6 rule, and an IPv6 address never matches an IPv4 rule.
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
