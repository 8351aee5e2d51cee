package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct xdp_umem_reg`, which describes the memory for the frames of an AF_XDP
/// socket in 32 bytes. This class contains stateless offsets.
///
/// ```
///  byte 0      8     16           20         24      28
///      +------+-----+------------+----------+-------+---+
///      | addr | len | chunk_size | headroom | flags | - |
///      +------+-----+------------+----------+-------+---+ 32
/// ```
///
/// ```c
/// struct xdp_umem_reg { __u64 addr; __u64 len; __u32 chunk_size; __u32 headroom; __u32 flags; };
/// ```
final class XdpUmemReg {
  static final Layout LAYOUT = Layout.of("struct xdp_umem_reg");
  static final int ADDR = LAYOUT.u64("addr");
  static final int LEN = LAYOUT.u64("len");
  static final int CHUNK_SIZE = LAYOUT.u32("chunk_size");
  static final int HEADROOM = LAYOUT.u32("headroom");
  static final int FLAGS = LAYOUT.u32("flags");

  private XdpUmemReg() {}
}
