package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fid`: the beginning of every object of libfabric, 24 bytes.
///
/// A structure of libfabric, as offsets. Stateless; the memory belongs to libfabric, or to the
/// caller that fills it.
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
