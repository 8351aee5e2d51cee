package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_cm`, which contains the functions for addresses and connections.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_cm {
///   size_t size; // functions, each a pointer:
///   (*setname)(); (*getname)(); (*getpeer)(); (*connect)(); (*listen)();
///   (*accept)(); (*reject)(); (*shutdown)(); (*join)();
/// };
/// ```
final class FiOpsCm {
  static final Layout LAYOUT = Layout.of("struct fi_ops_cm");
  static final int SIZE = LAYOUT.u64("size");
  static final int SETNAME = LAYOUT.u64("setname");
  static final int GETNAME = LAYOUT.u64("getname");
  static final int GETPEER = LAYOUT.u64("getpeer");
  static final int CONNECT = LAYOUT.u64("connect");
  static final int LISTEN = LAYOUT.u64("listen");
  static final int ACCEPT = LAYOUT.u64("accept");
  static final int REJECT = LAYOUT.u64("reject");
  static final int SHUTDOWN = LAYOUT.u64("shutdown");
  static final int JOIN = LAYOUT.u64("join");

  private FiOpsCm() {}
}
