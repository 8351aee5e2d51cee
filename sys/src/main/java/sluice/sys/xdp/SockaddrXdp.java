package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct sockaddr_xdp`, which identifies a queue of an interface in 16 bytes. This
/// class contains stateless offsets.
///
/// ```
///  byte 0            2           4             8              12
///      +------------+-----------+-------------+--------------+--------------------+
///      | sxdp_family| sxdp_flags| sxdp_ifindex| sxdp_queue_id| sxdp_shared_umem_fd|
///      +------------+-----------+-------------+--------------+--------------------+ 16
/// ```
///
/// ```c
/// struct sockaddr_xdp { __u16 sxdp_family; __u16 sxdp_flags; __u32 sxdp_ifindex;
///                       __u32 sxdp_queue_id; __u32 sxdp_shared_umem_fd; };
/// ```
final class SockaddrXdp {
  static final Layout LAYOUT = Layout.of("struct sockaddr_xdp");
  static final int FAMILY = LAYOUT.u16("sxdp_family");
  static final int FLAGS = LAYOUT.u16("sxdp_flags");
  static final int IFINDEX = LAYOUT.u32("sxdp_ifindex");
  static final int QUEUE_ID = LAYOUT.u32("sxdp_queue_id");
  static final int SHARED_UMEM_FD = LAYOUT.u32("sxdp_shared_umem_fd");

  private SockaddrXdp() {}
}
