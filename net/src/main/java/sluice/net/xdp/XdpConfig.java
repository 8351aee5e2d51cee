package sluice.net.xdp;

/// Specifies the frames that a port receives from an interface. Instances are immutable and
/// thread-safe.
///
/// @param device the name of the interface
/// @param address the address of the stack, in host order
/// @param ownsAddress true to receive ARP and all packets for the address, false to receive only
///   datagrams for owned ports
/// @param queues the number of queues, starting with queue 0, or 0 for all queues; all other queues
///   are still used by the kernel
public record XdpConfig(String device, int address, boolean ownsAddress, int queues) {
  static final int MOST_QUEUES = 64;

  public XdpConfig {
    if (queues < 0 || queues > MOST_QUEUES) {
      throw new IllegalArgumentException("queues: 1 to 64, or 0 for all, not " + queues);
    }
  }
}
