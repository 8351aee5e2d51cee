package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_mr`, which contains the functions that register memory.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_mr {
///   size_t size; // functions, each a pointer:
///   (*reg)(); (*regv)(); (*regattr)();
/// };
/// ```
final class FiOpsMr {
  static final Layout LAYOUT = Layout.of("struct fi_ops_mr");
  static final int SIZE = LAYOUT.u64("size");
  static final int REG = LAYOUT.u64("reg");
  static final int REGV = LAYOUT.u64("regv");
  static final int REGATTR = LAYOUT.u64("regattr");

  private FiOpsMr() {}
}
