package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct ifaddrmsg`, which contains the interface and the kind of address to which
/// an rtnetlink message refers. It has 8 bytes and is followed by attributes. This class contains
/// stateless offsets.
///
/// ```
///  byte 0            1               2           3           4           8
///      +------------+---------------+-----------+-----------+-----------+------------
///      | ifa_family | ifa_prefixlen | ifa_flags | ifa_scope | ifa_index | attributes
///      +------------+---------------+-----------+-----------+-----------+------------
/// ```
///
/// ```c
/// struct ifaddrmsg { __u8 ifa_family; __u8 ifa_prefixlen; __u8 ifa_flags; __u8 ifa_scope;
///                    __u32 ifa_index; };
/// ```
final class IfAddrMsg {
  static final Layout LAYOUT = Layout.of("struct ifaddrmsg");
  static final int FAMILY = LAYOUT.u8("ifa_family");
  static final int PREFIXLEN = LAYOUT.u8("ifa_prefixlen");
  static final int FLAGS = LAYOUT.u8("ifa_flags");
  static final int SCOPE = LAYOUT.u8("ifa_scope");
  static final int INDEX = LAYOUT.u32("ifa_index");
  static final int SIZE = LAYOUT.sizeBytes();

  private IfAddrMsg() {}
}
