package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid_cq`, which represents a completion queue.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
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
