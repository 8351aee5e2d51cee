package sluice.net;

/// An IPv4 address with its prefix length, such as `10.0.0.2/24`. Instances are immutable and
/// thread-safe.
///
/// @param address the address in host order, where the first number is the highest byte
/// @param bits the prefix length, between 1 and 30
public record Ipv4Prefix(int address, int bits) {
  private static final String FORM = "([0-9]{1,3}\\.){3}[0-9]{1,3}";

  /// Creates a prefix.
  ///
  /// @throws IllegalArgumentException if the prefix length is not between 1 and 30, or if the
  ///   address is not the address of a host
  public Ipv4Prefix {
    int last = address & ~mask(bits);
    boolean isHost = last != 0 && last != ~mask(bits);
    if (bits < 1 || bits > 30 || address >>> 28 >= 0xe || address >>> 24 == 0 || !isHost) {
      throw new IllegalArgumentException(
          text(address) + "/" + bits + " is no address of a host, such as 10.0.0.2/24");
    }
  }

  /// Parses an address with its prefix length, such as `10.0.0.2/24`.
  ///
  /// @throws IllegalArgumentException if the text does not have this form
  public static Ipv4Prefix parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || !text.substring(slash + 1).matches("[0-9]{1,2}")) {
      throw new IllegalArgumentException("not as 10.0.0.2/24: " + text);
    }
    return new Ipv4Prefix(
        parseAddress(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
  }

  /// Parses an address such as `10.0.0.2`.
  ///
  /// @return the address in host order
  /// @throws IllegalArgumentException if the text does not have this form
  public static int parseAddress(String text) {
    int address = 0;
    if (text.matches(FORM)) {
      for (String number : text.split("\\.", -1)) {
        int value = Integer.parseInt(number);
        if (value > 255) {
          throw new IllegalArgumentException("not as 10.0.0.2: " + text);
        }
        address = (address << 8) | value;
      }
      return address;
    }
    throw new IllegalArgumentException("not as 10.0.0.2: " + text);
  }

  private static int mask(int bits) {
    return -1 << (32 - bits);
  }

  /// Returns true if the given address is in the same network.
  public boolean contains(int other) {
    return ((address ^ other) & mask(bits)) == 0;
  }

  /// Returns the broadcast address of the network.
  public int broadcast() {
    return address | ~mask(bits);
  }

  /// Formats an address.
  public static String text(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 0xff)
        + "."
        + (address >>> 8 & 0xff)
        + "."
        + (address & 0xff);
  }

  @Override
  public String toString() {
    return text(address) + "/" + bits;
  }
}
