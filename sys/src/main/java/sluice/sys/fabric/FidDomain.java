package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid_domain`, which represents an open network interface.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fid_domain {
///   struct fid fid; struct fi_ops_domain *ops; struct fi_ops_mr *mr;
/// };
/// ```
final class FidDomain {
  static final Layout LAYOUT = Layout.of("struct fid_domain");
  static final int FID = LAYOUT.array("fid", 8, 3);
  static final int OPS = LAYOUT.u64("ops");
  static final int MR = LAYOUT.u64("mr");

  private FidDomain() {}
}
