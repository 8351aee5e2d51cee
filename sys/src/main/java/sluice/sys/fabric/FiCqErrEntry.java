package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_cq_err_entry`, which describes the completion of a failed operation.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_cq_err_entry {
///   void *op_context; uint64_t flags; size_t len; void *buf; uint64_t data; uint64_t tag;
///   size_t olen; int err; int prov_errno; void *err_data; size_t err_data_size;
/// };
/// ```
final class FiCqErrEntry {
  static final Layout LAYOUT = Layout.of("struct fi_cq_err_entry");
  static final int OP_CONTEXT = LAYOUT.u64("op_context");
  static final int FLAGS = LAYOUT.u64("flags");
  static final int LEN = LAYOUT.u64("len");
  static final int BUF = LAYOUT.u64("buf");
  static final int DATA = LAYOUT.u64("data");
  static final int TAG = LAYOUT.u64("tag");
  static final int OLEN = LAYOUT.u64("olen");
  static final int ERR = LAYOUT.u32("err");
  static final int PROV_ERRNO = LAYOUT.u32("prov_errno");
  static final int ERR_DATA = LAYOUT.u64("err_data");
  static final int ERR_DATA_SIZE = LAYOUT.u64("err_data_size");

  private FiCqErrEntry() {}
}
