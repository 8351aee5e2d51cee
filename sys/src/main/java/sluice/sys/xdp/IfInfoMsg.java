package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct ifinfomsg`, which contains the interface to which an rtnetlink message
/// refers. It has 16 bytes and is followed by attributes. This class contains stateless offsets.
///
/// ```
///  byte 0            1   2          4           8           12           16
///      +------------+---+----------+-----------+-----------+------------+------------
///      | ifi_family |   | ifi_type | ifi_index | ifi_flags | ifi_change | attributes
///      +------------+---+----------+-----------+-----------+------------+------------
/// ```
///
/// ```c
/// struct ifinfomsg { unsigned char ifi_family; unsigned char __ifi_pad; unsigned short ifi_type;
///                    int ifi_index; unsigned ifi_flags; unsigned ifi_change; };
/// ```
final class IfInfoMsg {
  static final Layout LAYOUT = Layout.of("struct ifinfomsg");
  static final int FAMILY = LAYOUT.u8("ifi_family");
  static final int PAD = LAYOUT.u8("__ifi_pad");
  static final int TYPE = LAYOUT.u16("ifi_type");
  static final int INDEX = LAYOUT.u32("ifi_index");
  static final int FLAGS = LAYOUT.u32("ifi_flags");
  static final int CHANGE = LAYOUT.u32("ifi_change");
  static final int SIZE = LAYOUT.sizeBytes();

  private IfInfoMsg() {}
}
