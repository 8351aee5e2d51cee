package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_av`, which contains the functions of an address table.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_av {
///   size_t size; // functions, each a pointer:
///   (*insert)(); (*insertsvc)(); (*insertsym)(); (*remove)(); (*lookup)();
///   (*straddr)(); (*av_set)();
/// };
/// ```
final class FiOpsAv {
  static final Layout LAYOUT = Layout.of("struct fi_ops_av");
  static final int SIZE = LAYOUT.u64("size");
  static final int INSERT = LAYOUT.u64("insert");
  static final int INSERTSVC = LAYOUT.u64("insertsvc");
  static final int INSERTSYM = LAYOUT.u64("insertsym");
  static final int REMOVE = LAYOUT.u64("remove");
  static final int LOOKUP = LAYOUT.u64("lookup");
  static final int STRADDR = LAYOUT.u64("straddr");
  static final int AV_SET = LAYOUT.u64("av_set");

  private FiOpsAv() {}
}
