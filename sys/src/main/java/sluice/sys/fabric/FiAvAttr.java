package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_av_attr`, which contains the parameters of a new address table.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_av_attr {
///   enum fi_av_type type; int rx_ctx_bits; size_t count; size_t ep_per_node;
///   const char *name; void *map_addr; uint64_t flags;
/// };
/// ```
final class FiAvAttr {
  static final Layout LAYOUT = Layout.of("struct fi_av_attr");
  static final int TYPE = LAYOUT.u32("type");
  static final int RX_CTX_BITS = LAYOUT.u32("rx_ctx_bits");
  static final int COUNT = LAYOUT.u64("count");
  static final int EP_PER_NODE = LAYOUT.u64("ep_per_node");
  static final int NAME = LAYOUT.u64("name");
  static final int MAP_ADDR = LAYOUT.u64("map_addr");
  static final int FLAGS = LAYOUT.u64("flags");

  private FiAvAttr() {}
}
