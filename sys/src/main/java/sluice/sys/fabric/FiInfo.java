package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_info`, which is a list of requested or available properties.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_info {
///   struct fi_info *next; uint64_t caps; uint64_t mode; uint32_t addr_format;
///   size_t src_addrlen; size_t dest_addrlen; void *src_addr; void *dest_addr; fid_t handle;
///   struct fi_tx_attr *tx_attr; struct fi_rx_attr *rx_attr; struct fi_ep_attr *ep_attr;
///   struct fi_domain_attr *domain_attr; struct fi_fabric_attr *fabric_attr;
///   struct fid_nic *nic;
/// };
/// ```
final class FiInfo {
  static final Layout LAYOUT = Layout.of("struct fi_info");
  static final int NEXT = LAYOUT.u64("next");
  static final int CAPS = LAYOUT.u64("caps");
  static final int MODE = LAYOUT.u64("mode");
  static final int ADDR_FORMAT = LAYOUT.u32("addr_format");
  static final int SRC_ADDRLEN = LAYOUT.u64("src_addrlen");
  static final int DEST_ADDRLEN = LAYOUT.u64("dest_addrlen");
  static final int SRC_ADDR = LAYOUT.u64("src_addr");
  static final int DEST_ADDR = LAYOUT.u64("dest_addr");
  static final int HANDLE = LAYOUT.u64("handle");
  static final int TX_ATTR = LAYOUT.u64("tx_attr");
  static final int RX_ATTR = LAYOUT.u64("rx_attr");
  static final int EP_ATTR = LAYOUT.u64("ep_attr");
  static final int DOMAIN_ATTR = LAYOUT.u64("domain_attr");
  static final int FABRIC_ATTR = LAYOUT.u64("fabric_attr");
  static final int NIC = LAYOUT.u64("nic");

  private FiInfo() {}
}
