package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fid_mr`: registered memory.
///
/// Of libfabric; offsets without state. The memory is libfabric's, or of the call that fills it.
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
