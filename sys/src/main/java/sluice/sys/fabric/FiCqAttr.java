package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_cq_attr`, which contains the parameters of a new completion queue.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_cq_attr {
///   size_t size; uint64_t flags; enum fi_cq_format format; enum fi_wait_obj wait_obj;
///   int signaling_vector; enum fi_cq_wait_cond wait_cond; struct fid_wait *wait_set;
/// };
/// ```
final class FiCqAttr {
  static final Layout LAYOUT = Layout.of("struct fi_cq_attr");
  static final int SIZE = LAYOUT.u64("size");
  static final int FLAGS = LAYOUT.u64("flags");
  static final int FORMAT = LAYOUT.u32("format");
  static final int WAIT_OBJ = LAYOUT.u32("wait_obj");
  static final int SIGNALING_VECTOR = LAYOUT.u32("signaling_vector");
  static final int WAIT_COND = LAYOUT.u32("wait_cond");
  static final int WAIT_SET = LAYOUT.u64("wait_set");

  private FiCqAttr() {}
}
