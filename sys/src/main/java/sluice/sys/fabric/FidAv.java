package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fid_av`: a table of addresses.
///
/// Of libfabric; offsets without state. The memory is libfabric's, or of the call that fills it.
///
/// ```c
/// struct fid_av {
///   struct fid fid; struct fi_ops_av *ops;
/// };
/// ```
final class FidAv {
  static final Layout LAYOUT = Layout.of("struct fid_av");
  static final int FID = LAYOUT.array("fid", 8, 3);
  static final int OPS = LAYOUT.u64("ops");

  private FidAv() {}
}
