package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fid`, which is the beginning of every libfabric object and has 24 bytes.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fid {
///   size_t fclass; void *context; struct fi_ops *ops;
/// };
/// ```
final class Fid {
  static final Layout LAYOUT = Layout.of("struct fid");
  static final int FCLASS = LAYOUT.u64("fclass");
  static final int CONTEXT = LAYOUT.u64("context");
  static final int OPS = LAYOUT.u64("ops");

  private Fid() {}
}
