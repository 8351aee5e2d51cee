package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct xdp_statistics`, which contains the losses of an AF_XDP socket in 48
/// bytes. Before Linux 5.9, only the first 24 bytes are available. This class contains stateless
/// offsets.
///
/// ```
///  byte 0            8                  16                 24             32
///      +------------+------------------+------------------+--------------+----------------
///      | rx_dropped | rx_invalid_descs | tx_invalid_descs | rx_ring_full | rx_fill_ring_… |
///      +------------+------------------+------------------+--------------+----------------
/// ```
///
/// ```c
/// struct xdp_statistics { __u64 rx_dropped; __u64 rx_invalid_descs; __u64 tx_invalid_descs;
///                         __u64 rx_ring_full; __u64 rx_fill_ring_empty_descs;
///                         __u64 tx_ring_empty_descs; };
/// ```
final class XdpStatistics {
  static final Layout LAYOUT = Layout.of("struct xdp_statistics");
  static final int RX_DROPPED = LAYOUT.u64("rx_dropped");
  static final int RX_INVALID_DESCS = LAYOUT.u64("rx_invalid_descs");
  static final int TX_INVALID_DESCS = LAYOUT.u64("tx_invalid_descs");
  static final int RX_RING_FULL = LAYOUT.u64("rx_ring_full");
  static final int RX_FILL_RING_EMPTY_DESCS = LAYOUT.u64("rx_fill_ring_empty_descs");
  static final int TX_RING_EMPTY_DESCS = LAYOUT.u64("tx_ring_empty_descs");

  private XdpStatistics() {}
}
