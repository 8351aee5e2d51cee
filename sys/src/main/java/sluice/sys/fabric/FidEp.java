package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid_ep`, which represents an endpoint.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fid_ep {
///   struct fid fid; struct fi_ops_ep *ops; struct fi_ops_cm *cm; struct fi_ops_msg *msg;
///   struct fi_ops_rma *rma; struct fi_ops_tagged *tagged; struct fi_ops_atomic *atomic;
///   struct fi_ops_collective *collective;
/// };
/// ```
final class FidEp {
  static final Layout LAYOUT = Layout.of("struct fid_ep");
  static final int FID = LAYOUT.array("fid", 8, 3);
  static final int OPS = LAYOUT.u64("ops");
  static final int CM = LAYOUT.u64("cm");
  static final int MSG = LAYOUT.u64("msg");
  static final int RMA = LAYOUT.u64("rma");
  static final int TAGGED = LAYOUT.u64("tagged");
  static final int ATOMIC = LAYOUT.u64("atomic");
  static final int COLLECTIVE = LAYOUT.u64("collective");

  private FidEp() {}
}
