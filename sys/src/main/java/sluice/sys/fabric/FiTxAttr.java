package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_tx_attr`, which contains the send properties of an endpoint in 80
/// bytes.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_tx_attr {
///   uint64_t caps; uint64_t mode; uint64_t op_flags; uint64_t msg_order; uint64_t comp_order;
///   size_t inject_size; size_t size; size_t iov_limit; size_t rma_iov_limit; uint32_t tclass;
/// };
/// ```
final class FiTxAttr {
  static final Layout LAYOUT = Layout.of("struct fi_tx_attr");
  static final int CAPS = LAYOUT.u64("caps");
  static final int MODE = LAYOUT.u64("mode");
  static final int OP_FLAGS = LAYOUT.u64("op_flags");
  static final int MSG_ORDER = LAYOUT.u64("msg_order");
  static final int COMP_ORDER = LAYOUT.u64("comp_order");
  static final int INJECT_SIZE = LAYOUT.u64("inject_size");
  static final int SIZE = LAYOUT.u64("size");
  static final int IOV_LIMIT = LAYOUT.u64("iov_limit");
  static final int RMA_IOV_LIMIT = LAYOUT.u64("rma_iov_limit");
  static final int TCLASS = LAYOUT.u32("tclass");

  private FiTxAttr() {}
}
