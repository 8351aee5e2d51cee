package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct xdp_desc`, which describes a frame in a receive or transmit ring in 16
/// bytes. This class contains stateless offsets with which the driver reads and writes the fields
/// in the ring.
///
/// ```
///  byte 0      8     12
///      +------+-----+---------+
///      | addr | len | options |
///      +------+-----+---------+ 16
/// ```
///
/// ```c
/// struct xdp_desc { __u64 addr; __u32 len; __u32 options; };
/// ```
public final class XdpDesc {
  static final Layout LAYOUT = Layout.of("struct xdp_desc");
  public static final int ADDR = LAYOUT.u64("addr");
  public static final int LEN = LAYOUT.u32("len");
  public static final int OPTIONS = LAYOUT.u32("options");

  /// An option indicating that the packet continues in the next descriptor (Linux 6.6).
  public static final int XDP_PKT_CONTD = 1;

  /// The size in bytes.
  public static final int SIZE = LAYOUT.sizeBytes();

  private XdpDesc() {}
}
