package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct ethtool_channels`, which contains the number of queues of an interface in
/// 36 bytes. This class contains stateless offsets.
///
/// ```
///  byte 0     4 … 16              20         24         28            32               36
///      +-----+-------------------+----------+----------+-------------+----------------+
///      | cmd | most of each kind | rx_count | tx_count | other_count | combined_count |
///      +-----+-------------------+----------+----------+-------------+----------------+
/// ```
///
/// ```c
/// struct ethtool_channels { __u32 cmd; __u32 max_rx, max_tx, max_other, max_combined;
///                           __u32 rx_count, tx_count, other_count, combined_count; };
/// ```
final class EthtoolChannels {
  static final Layout LAYOUT = Layout.of("struct ethtool_channels");
  static final int CMD = LAYOUT.u32("cmd");
  static final int MAX_RX = LAYOUT.u32("max_rx");
  static final int MAX_TX = LAYOUT.u32("max_tx");
  static final int MAX_OTHER = LAYOUT.u32("max_other");
  static final int MAX_COMBINED = LAYOUT.u32("max_combined");
  static final int RX_COUNT = LAYOUT.u32("rx_count");
  static final int TX_COUNT = LAYOUT.u32("tx_count");
  static final int OTHER_COUNT = LAYOUT.u32("other_count");
  static final int COMBINED_COUNT = LAYOUT.u32("combined_count");

  private EthtoolChannels() {}
}
