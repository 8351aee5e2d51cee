package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct sockaddr_ll`, which contains the interface and the protocol of the frames
/// that are received by a packet socket. It has 20 bytes. This class contains stateless offsets.
///
/// ```
///  byte  0 sll_family      2 sll_protocol   4 sll_ifindex   8 sll_hatype
///       10 sll_pkttype    11 sll_halen     12 sll_addr     20
/// ```
///
/// ```c
/// struct sockaddr_ll { unsigned short sll_family; __be16 sll_protocol; int sll_ifindex;
///                      unsigned short sll_hatype; unsigned char sll_pkttype;
///                      unsigned char sll_halen; unsigned char sll_addr[8]; };
/// ```
final class SockaddrLl {
  static final Layout LAYOUT = Layout.of("struct sockaddr_ll");
  static final int FAMILY = LAYOUT.u16("sll_family");
  static final int PROTOCOL = LAYOUT.u16("sll_protocol");
  static final int IFINDEX = LAYOUT.u32("sll_ifindex");
  static final int HATYPE = LAYOUT.u16("sll_hatype");
  static final int PKTTYPE = LAYOUT.u8("sll_pkttype");
  static final int HALEN = LAYOUT.u8("sll_halen");
  static final int ADDR = LAYOUT.array("sll_addr", 1, 8);

  private SockaddrLl() {}
}
