package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_cq`, which contains the functions of a completion queue.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_cq {
///   size_t size; // functions, each a pointer:
///   (*read)(); (*readfrom)(); (*readerr)(); (*sread)(); (*sreadfrom)(); (*signal)();
///   (*strerror)();
/// };
/// ```
final class FiOpsCq {
  static final Layout LAYOUT = Layout.of("struct fi_ops_cq");
  static final int SIZE = LAYOUT.u64("size");
  static final int READ = LAYOUT.u64("read");
  static final int READFROM = LAYOUT.u64("readfrom");
  static final int READERR = LAYOUT.u64("readerr");
  static final int SREAD = LAYOUT.u64("sread");
  static final int SREADFROM = LAYOUT.u64("sreadfrom");
  static final int SIGNAL = LAYOUT.u64("signal");
  static final int STRERROR = LAYOUT.u64("strerror");

  private FiOpsCq() {}
}
