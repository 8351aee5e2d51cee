package sluice.net;

/// The configuration of a network stack. Instances are immutable and thread-safe.
///
/// @param address the address of the stack
/// @param gateway the next hop for other networks, in host order, or 0 if there is none
/// @param ownsAddress true if the address is used only by the stack, which then answers ARP and
///   echo requests and refuses datagrams for closed ports; otherwise the kernel does this for the
///   same address, and the stack can send only to stations from which it has received packets
/// @param limits the limits of the stack
public record StackConfig(
    Ipv4Prefix address, int gateway, boolean ownsAddress, StackLimits limits) {

  /// Returns the configuration of a stack that owns its address and has no gateway.
  public static StackConfig of(Ipv4Prefix address) {
    return new StackConfig(address, 0, true, StackLimits.DEFAULT);
  }

  /// Returns a copy of this configuration with the given gateway in host order, or without a
  /// gateway if it is 0.
  public StackConfig withGateway(int value) {
    return new StackConfig(address, value, ownsAddress, limits);
  }

  /// Returns a copy of this configuration in which the stack either owns its address or shares it
  /// with the kernel.
  public StackConfig withOwnsAddress(boolean value) {
    return new StackConfig(address, gateway, value, limits);
  }

  /// Returns a copy of this configuration with the given limits.
  public StackConfig withLimits(StackLimits value) {
    return new StackConfig(address, gateway, ownsAddress, value);
  }
}
