package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fid_cq`: a completion queue.
///
/// A structure of libfabric, as offsets. Stateless; the memory belongs to libfabric, or to the
/// caller that fills it.
///
/// ```c
/// struct fid_cq {
///   struct fid fid; struct fi_ops_cq *ops;
/// };
/// ```
final class FidCq {
  static final Layout LAYOUT = Layout.of("struct fid_cq");
  static final int FID = LAYOUT.array("fid", 8, 3);
  static final int OPS = LAYOUT.u64("ops");

  private FidCq() {}
}
