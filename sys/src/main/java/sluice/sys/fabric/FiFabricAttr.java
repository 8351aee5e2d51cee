package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_fabric_attr`, which identifies a provider.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_fabric_attr {
///   struct fid_fabric *fabric; char *name; char *prov_name; uint32_t prov_version;
///   uint32_t api_version;
/// };
/// ```
final class FiFabricAttr {
  static final Layout LAYOUT = Layout.of("struct fi_fabric_attr");
  static final int FABRIC = LAYOUT.u64("fabric");
  static final int NAME = LAYOUT.u64("name");
  static final int PROV_NAME = LAYOUT.u64("prov_name");
  static final int PROV_VERSION = LAYOUT.u32("prov_version");
  static final int API_VERSION = LAYOUT.u32("api_version");

  private FiFabricAttr() {}
}
