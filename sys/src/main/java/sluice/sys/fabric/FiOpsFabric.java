package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_fabric`, which contains the functions of a fabric.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_fabric {
///   size_t size; // functions, each a pointer:
///   (*domain)(); (*passive_ep)(); (*eq_open)(); (*wait_open)(); (*trywait)();
///   (*domain2)();
/// };
/// ```
final class FiOpsFabric {
  static final Layout LAYOUT = Layout.of("struct fi_ops_fabric");
  static final int SIZE = LAYOUT.u64("size");
  static final int DOMAIN = LAYOUT.u64("domain");
  static final int PASSIVE_EP = LAYOUT.u64("passive_ep");
  static final int EQ_OPEN = LAYOUT.u64("eq_open");
  static final int WAIT_OPEN = LAYOUT.u64("wait_open");
  static final int TRYWAIT = LAYOUT.u64("trywait");
  static final int DOMAIN2 = LAYOUT.u64("domain2");

  private FiOpsFabric() {}
}
