package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid_fabric`, which represents an open fabric.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fid_fabric {
///   struct fid fid; struct fi_ops_fabric *ops; uint32_t api_version;
/// };
/// ```
final class FidFabric {
  static final Layout LAYOUT = Layout.of("struct fid_fabric");
  static final int FID = LAYOUT.array("fid", 8, 3);
  static final int OPS = LAYOUT.u64("ops");
  static final int API_VERSION = LAYOUT.u32("api_version");

  private FidFabric() {}
}
