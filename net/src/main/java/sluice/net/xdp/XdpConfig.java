package sluice.net.xdp;

/// Which frames of which interface. Immutable: any thread may use it.
///
/// @param device name of the interface
/// @param address ours, in host order
/// @param ownsAddress whether all packets for it are ours, and ARP; otherwise datagrams for owned
///   ports only
/// @param queues of the interface, from 0; the kernel has the other queues. 0 says all
public record XdpConfig(String device, int address, boolean ownsAddress, int queues) {
  static final int MOST_QUEUES = 64;

  public XdpConfig {
    if (queues < 0 || queues > MOST_QUEUES) {
      throw new IllegalArgumentException("queues: 1 to 64, or 0 for all, not " + queues);
    }
  }
}
