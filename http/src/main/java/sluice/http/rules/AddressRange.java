package sluice.http.rules;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/// A range of addresses with the same leading bits, as IPv6; IPv4 addresses are `::ffff:a.b.c.d`.
/// Immutable: any thread may use it.
///
/// @param high the first half of an address in the range
/// @param low the second half
/// @param bits the number of leading bits that they share, 0 to 128
public record AddressRange(long high, long low, int bits) {
  private static final long MAPPED = 0xffff_0000_0000L;

  /// Parses `10.0.0.0/8`, `192.0.2.7`, `2001:db8::/32`, or `all`.
  ///
  /// @throws IllegalArgumentException if the text is not an address range; a host name is not
  public static AddressRange of(String text) {
    if (text.equals("all")) {
      return new AddressRange(0, 0, 0);
    }
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    if (!address.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
      throw wrong(text);
    }
    try {
      byte[] bytes = InetAddress.ofLiteral(address).getAddress();
      int most = bytes.length * 8;
      int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
      boolean whole = address.indexOf(':') >= 0 || address.matches("(\\d+\\.){3}\\d+");
      if (bits < 0 || bits > most || !whole) {
        throw wrong(text);
      }
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return most == 32
          ? new AddressRange(0, MAPPED | (buffer.getInt() & 0xffff_ffffL), 96 + bits)
          : new AddressRange(buffer.getLong(), buffer.getLong(), bits);
    } catch (IllegalArgumentException e) {
      throw wrong(text);
    }
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "an address is such as 10.0.0.0/8, 192.0.2.7, 2001:db8::/32 or all: " + text);
  }

  /// Returns true if an address is in the range.
  public boolean has(long addressHigh, long addressLow) {
    long inHigh = bits >= 64 ? -1L : bits == 0 ? 0 : -1L << (64 - bits);
    long inLow = bits <= 64 ? 0 : -1L << (128 - bits);
    return ((addressHigh ^ high) & inHigh) == 0 && ((addressLow ^ low) & inLow) == 0;
  }
}
