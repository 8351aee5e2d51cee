package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_domain_attr`, which contains the properties of a network interface.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_domain_attr {
///   struct fid_domain *domain; char *name; enum fi_threading threading;
///   enum fi_progress control_progress; enum fi_progress data_progress;
///   enum fi_resource_mgmt resource_mgmt; enum fi_av_type av_type; int mr_mode;
///   size_t mr_key_size; size_t cq_data_size; size_t cq_cnt; size_t ep_cnt; size_t tx_ctx_cnt;
///   size_t rx_ctx_cnt; size_t max_ep_tx_ctx; size_t max_ep_rx_ctx; size_t max_ep_stx_ctx;
///   size_t max_ep_srx_ctx; size_t cntr_cnt; size_t mr_iov_limit; uint64_t caps; uint64_t mode;
///   uint8_t *auth_key; size_t auth_key_size; size_t max_err_data; size_t mr_cnt;
///   uint32_t tclass;
/// };
/// ```
final class FiDomainAttr {
  static final Layout LAYOUT = Layout.of("struct fi_domain_attr");
  static final int DOMAIN = LAYOUT.u64("domain");
  static final int NAME = LAYOUT.u64("name");
  static final int THREADING = LAYOUT.u32("threading");
  static final int CONTROL_PROGRESS = LAYOUT.u32("control_progress");
  static final int DATA_PROGRESS = LAYOUT.u32("data_progress");
  static final int RESOURCE_MGMT = LAYOUT.u32("resource_mgmt");
  static final int AV_TYPE = LAYOUT.u32("av_type");
  static final int MR_MODE = LAYOUT.u32("mr_mode");
  static final int MR_KEY_SIZE = LAYOUT.u64("mr_key_size");
  static final int CQ_DATA_SIZE = LAYOUT.u64("cq_data_size");
  static final int CQ_CNT = LAYOUT.u64("cq_cnt");
  static final int EP_CNT = LAYOUT.u64("ep_cnt");
  static final int TX_CTX_CNT = LAYOUT.u64("tx_ctx_cnt");
  static final int RX_CTX_CNT = LAYOUT.u64("rx_ctx_cnt");
  static final int MAX_EP_TX_CTX = LAYOUT.u64("max_ep_tx_ctx");
  static final int MAX_EP_RX_CTX = LAYOUT.u64("max_ep_rx_ctx");
  static final int MAX_EP_STX_CTX = LAYOUT.u64("max_ep_stx_ctx");
  static final int MAX_EP_SRX_CTX = LAYOUT.u64("max_ep_srx_ctx");
  static final int CNTR_CNT = LAYOUT.u64("cntr_cnt");
  static final int MR_IOV_LIMIT = LAYOUT.u64("mr_iov_limit");
  static final int CAPS = LAYOUT.u64("caps");
  static final int MODE = LAYOUT.u64("mode");
  static final int AUTH_KEY = LAYOUT.u64("auth_key");
  static final int AUTH_KEY_SIZE = LAYOUT.u64("auth_key_size");
  static final int MAX_ERR_DATA = LAYOUT.u64("max_err_data");
  static final int MR_CNT = LAYOUT.u64("mr_cnt");
  static final int TCLASS = LAYOUT.u32("tclass");

  private FiDomainAttr() {}
}
