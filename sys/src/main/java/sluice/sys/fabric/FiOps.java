package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops`, which contains the functions that every object supports.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops {
///   size_t size; // functions, each a pointer:
///   (*close)(); (*bind)(); (*control)(); (*ops_open)(); (*tostr)(); (*ops_set)();
/// };
/// ```
final class FiOps {
  static final Layout LAYOUT = Layout.of("struct fi_ops");
  static final int SIZE = LAYOUT.u64("size");
  static final int CLOSE = LAYOUT.u64("close");
  static final int BIND = LAYOUT.u64("bind");
  static final int CONTROL = LAYOUT.u64("control");
  static final int OPS_OPEN = LAYOUT.u64("ops_open");
  static final int TOSTR = LAYOUT.u64("tostr");
  static final int OPS_SET = LAYOUT.u64("ops_set");

  private FiOps() {}
}
