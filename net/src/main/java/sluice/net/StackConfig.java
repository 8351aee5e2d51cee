package sluice.net;

/// The configuration of a network stack. Immutable and thread-safe.
///
/// @param address the address of the stack
/// @param gateway the next hop for other networks, in host order; 0 for none
/// @param ownsAddress true if only the stack uses the address: then it answers ARP and echo
///   requests and refuses closed ports. Otherwise the kernel does that for the same address, and
///   the stack sends only to stations that it has received packets from
/// @param limits the limits of the stack
public record StackConfig(
    Ipv4Prefix address, int gateway, boolean ownsAddress, StackLimits limits) {

  /// Returns the configuration of a stack that owns its address and has no gateway.
  public static StackConfig of(Ipv4Prefix address) {
    return new StackConfig(address, 0, true, StackLimits.DEFAULT);
  }

  /// Returns a copy with another gateway, in host order; 0 for none.
  public StackConfig withGateway(int value) {
    return new StackConfig(address, value, ownsAddress, limits);
  }

  /// Returns a copy that owns its address or shares it with the kernel.
  public StackConfig withOwnsAddress(boolean value) {
    return new StackConfig(address, gateway, value, limits);
  }

  /// Returns a copy with other limits.
  public StackConfig withLimits(StackLimits value) {
    return new StackConfig(address, gateway, ownsAddress, value);
  }
}
