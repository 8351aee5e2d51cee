package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_rx_attr`, which contains the receive properties of an endpoint in 64
/// bytes.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_rx_attr {
///   uint64_t caps; uint64_t mode; uint64_t op_flags; uint64_t msg_order; uint64_t comp_order;
///   size_t total_buffered_recv; size_t size; size_t iov_limit;
/// };
/// ```
final class FiRxAttr {
  static final Layout LAYOUT = Layout.of("struct fi_rx_attr");
  static final int CAPS = LAYOUT.u64("caps");
  static final int MODE = LAYOUT.u64("mode");
  static final int OP_FLAGS = LAYOUT.u64("op_flags");
  static final int MSG_ORDER = LAYOUT.u64("msg_order");
  static final int COMP_ORDER = LAYOUT.u64("comp_order");
  static final int TOTAL_BUFFERED_RECV = LAYOUT.u64("total_buffered_recv");
  static final int SIZE = LAYOUT.u64("size");
  static final int IOV_LIMIT = LAYOUT.u64("iov_limit");

  private FiRxAttr() {}
}
