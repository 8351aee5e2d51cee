package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid_mr`, which represents registered memory.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fid_mr {
///   struct fid fid; void *mem_desc; uint64_t key;
/// };
/// ```
final class FidMr {
  static final Layout LAYOUT = Layout.of("struct fid_mr");
  static final int FID = LAYOUT.array("fid", 8, 3);
  static final int MEM_DESC = LAYOUT.u64("mem_desc");
  static final int KEY = LAYOUT.u64("key");

  private FidMr() {}
}
