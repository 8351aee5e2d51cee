package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ep_attr`, which contains the type and the limits of an endpoint.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ep_attr {
///   enum fi_ep_type type; uint32_t protocol; uint32_t protocol_version; size_t max_msg_size;
///   size_t msg_prefix_size; size_t max_order_raw_size; size_t max_order_war_size;
///   size_t max_order_waw_size; uint64_t mem_tag_format; size_t tx_ctx_cnt; size_t rx_ctx_cnt;
///   size_t auth_key_size; uint8_t *auth_key;
/// };
/// ```
final class FiEpAttr {
  static final Layout LAYOUT = Layout.of("struct fi_ep_attr");
  static final int TYPE = LAYOUT.u32("type");
  static final int PROTOCOL = LAYOUT.u32("protocol");
  static final int PROTOCOL_VERSION = LAYOUT.u32("protocol_version");
  static final int MAX_MSG_SIZE = LAYOUT.u64("max_msg_size");
  static final int MSG_PREFIX_SIZE = LAYOUT.u64("msg_prefix_size");
  static final int MAX_ORDER_RAW_SIZE = LAYOUT.u64("max_order_raw_size");
  static final int MAX_ORDER_WAR_SIZE = LAYOUT.u64("max_order_war_size");
  static final int MAX_ORDER_WAW_SIZE = LAYOUT.u64("max_order_waw_size");
  static final int MEM_TAG_FORMAT = LAYOUT.u64("mem_tag_format");
  static final int TX_CTX_CNT = LAYOUT.u64("tx_ctx_cnt");
  static final int RX_CTX_CNT = LAYOUT.u64("rx_ctx_cnt");
  static final int AUTH_KEY_SIZE = LAYOUT.u64("auth_key_size");
  static final int AUTH_KEY = LAYOUT.u64("auth_key");

  private FiEpAttr() {}
}
