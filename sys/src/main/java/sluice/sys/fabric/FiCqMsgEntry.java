package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fi_cq_msg_entry`: one completion, 24 bytes.
///
/// Of libfabric; offsets without state. The memory is libfabric's, or of the call that fills it.
///
/// ```c
/// struct fi_cq_msg_entry {
///   void *op_context; uint64_t flags; size_t len;
/// };
/// ```
final class FiCqMsgEntry {
  static final Layout LAYOUT = Layout.of("struct fi_cq_msg_entry");
  static final int OP_CONTEXT = LAYOUT.u64("op_context");
  static final int FLAGS = LAYOUT.u64("flags");
  static final int LEN = LAYOUT.u64("len");

  private FiCqMsgEntry() {}
}
