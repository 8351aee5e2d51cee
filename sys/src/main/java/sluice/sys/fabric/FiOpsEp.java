package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_ep`, which contains the functions of an endpoint.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_ep {
///   size_t size; // functions, each a pointer:
///   (*cancel)(); (*getopt)(); (*setopt)(); (*tx_ctx)(); (*rx_ctx)(); (*rx_size_left)();
///   (*tx_size_left)();
/// };
/// ```
final class FiOpsEp {
  static final Layout LAYOUT = Layout.of("struct fi_ops_ep");
  static final int SIZE = LAYOUT.u64("size");
  static final int CANCEL = LAYOUT.u64("cancel");
  static final int GETOPT = LAYOUT.u64("getopt");
  static final int SETOPT = LAYOUT.u64("setopt");
  static final int TX_CTX = LAYOUT.u64("tx_ctx");
  static final int RX_CTX = LAYOUT.u64("rx_ctx");
  static final int RX_SIZE_LEFT = LAYOUT.u64("rx_size_left");
  static final int TX_SIZE_LEFT = LAYOUT.u64("tx_size_left");

  private FiOpsEp() {}
}
