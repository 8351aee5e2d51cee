package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fid_domain`: an opened network interface.
///
/// Of libfabric; offsets without state. The memory is libfabric's, or of the call that fills it.
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
