package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_domain`, which contains the functions of a domain.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_domain {
///   size_t size; // functions, each a pointer:
///   (*av_open)(); (*cq_open)(); (*endpoint)(); (*scalable_ep)(); (*cntr_open)();
///   (*poll_open)(); (*stx_ctx)(); (*srx_ctx)(); (*query_atomic)();
///   (*query_collective)(); (*endpoint2)();
/// };
/// ```
final class FiOpsDomain {
  static final Layout LAYOUT = Layout.of("struct fi_ops_domain");
  static final int SIZE = LAYOUT.u64("size");
  static final int AV_OPEN = LAYOUT.u64("av_open");
  static final int CQ_OPEN = LAYOUT.u64("cq_open");
  static final int ENDPOINT = LAYOUT.u64("endpoint");
  static final int SCALABLE_EP = LAYOUT.u64("scalable_ep");
  static final int CNTR_OPEN = LAYOUT.u64("cntr_open");
  static final int POLL_OPEN = LAYOUT.u64("poll_open");
  static final int STX_CTX = LAYOUT.u64("stx_ctx");
  static final int SRX_CTX = LAYOUT.u64("srx_ctx");
  static final int QUERY_ATOMIC = LAYOUT.u64("query_atomic");
  static final int QUERY_COLLECTIVE = LAYOUT.u64("query_collective");
  static final int ENDPOINT2 = LAYOUT.u64("endpoint2");

  private FiOpsDomain() {}
}
