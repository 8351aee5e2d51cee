package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct sockaddr_nl`, which contains the address of a netlink socket in 12 bytes.
/// This class contains stateless offsets.
///
/// ```
///  byte 0           2        4        8           12
///      +-----------+--------+--------+-----------+
///      | nl_family | nl_pad | nl_pid | nl_groups |
///      +-----------+--------+--------+-----------+
/// ```
///
/// ```c
/// struct sockaddr_nl { __kernel_sa_family_t nl_family; unsigned short nl_pad; __u32 nl_pid;
///                      __u32 nl_groups; };
/// ```
final class SockaddrNl {
  static final Layout LAYOUT = Layout.of("struct sockaddr_nl");
  static final int FAMILY = LAYOUT.u16("nl_family");
  static final int PAD = LAYOUT.u16("nl_pad");
  static final int PID = LAYOUT.u32("nl_pid");
  static final int GROUPS = LAYOUT.u32("nl_groups");

  private SockaddrNl() {}
}
