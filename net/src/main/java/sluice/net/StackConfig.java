package sluice.net;

/// How a network stack is set up. Immutable: any thread may use it.
///
/// @param address its own
/// @param gateway where packets for other networks go, in host order; 0 for none
/// @param ownsAddress whether the stack alone has the address: it answers ARP and echoes, and
///   refuses closed ports. Otherwise the kernel does so for the same address, and the stack sends
///   to stations that it has heard only
/// @param limits what it holds at most
public record StackConfig(
    Ipv4Prefix address, int gateway, boolean ownsAddress, StackLimits limits) {

  /// A stack that owns its address, without a gateway.
  public static StackConfig of(Ipv4Prefix address) {
    return new StackConfig(address, 0, true, StackLimits.DEFAULT);
  }

  public StackConfig withGateway(int value) {
    return new StackConfig(address, value, ownsAddress, limits);
  }

  public StackConfig withOwnsAddress(boolean value) {
    return new StackConfig(address, gateway, value, limits);
  }

  public StackConfig withLimits(StackLimits value) {
    return new StackConfig(address, gateway, ownsAddress, value);
  }
}
