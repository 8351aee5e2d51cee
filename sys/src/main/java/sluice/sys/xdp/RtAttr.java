package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct rtattr`, which is the 4-byte header of an attribute in an rtnetlink
/// message. It is followed by the bytes of the attribute, and the next attribute begins at a
/// multiple of 4. This class contains stateless offsets.
///
/// ```
///  byte 0         2          4
///      +---------+----------+-------
///      | rta_len | rta_type | bytes      the length counts these 4 too
///      +---------+----------+-------
/// ```
///
/// ```c
/// struct rtattr { unsigned short rta_len; unsigned short rta_type; };
/// ```
final class RtAttr {
  static final Layout LAYOUT = Layout.of("struct rtattr");
  static final int LEN = LAYOUT.u16("rta_len");
  static final int TYPE = LAYOUT.u16("rta_type");
  static final int SIZE = LAYOUT.sizeBytes();

  private RtAttr() {}
}
