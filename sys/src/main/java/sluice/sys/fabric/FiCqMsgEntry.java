package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_cq_msg_entry`, which describes the completion of an operation in 24
/// bytes.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
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
