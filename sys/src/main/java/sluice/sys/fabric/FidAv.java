package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid_av`, which represents an address table.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
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
