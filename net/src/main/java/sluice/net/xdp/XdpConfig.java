package sluice.net.xdp;

/// The frames that a port takes from an interface. Immutable and thread-safe.
///
/// @param device the name of the interface
/// @param address our address, in host order
/// @param ownsAddress true to take all packets for the address and ARP; false to take only
///   datagrams for owned ports
/// @param queues the number of queues, from number 0 on; the kernel keeps the others. 0 means all
public record XdpConfig(String device, int address, boolean ownsAddress, int queues) {
  static final int MOST_QUEUES = 64;

  public XdpConfig {
    if (queues < 0 || queues > MOST_QUEUES) {
      throw new IllegalArgumentException("queues: 1 to 64, or 0 for all, not " + queues);
    }
  }
}
