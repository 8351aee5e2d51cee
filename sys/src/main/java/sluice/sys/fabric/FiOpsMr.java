package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// `struct fi_ops_mr`: functions that register memory.
///
/// Of libfabric; offsets without state. The memory is libfabric's, or of the call that fills it.
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
