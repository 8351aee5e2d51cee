package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct nlmsghdr`, which is the header of each netlink message and has 16 bytes.
/// This class contains stateless offsets.
///
/// ```
///  byte 0           4            6             8           12          16
///      +-----------+------------+-------------+-----------+-----------+---------
///      | nlmsg_len | nlmsg_type | nlmsg_flags | nlmsg_seq | nlmsg_pid | payload
///      +-----------+------------+-------------+-----------+-----------+---------
/// ```
///
/// ```c
/// struct nlmsghdr { __u32 nlmsg_len; __u16 nlmsg_type; __u16 nlmsg_flags; __u32 nlmsg_seq;
///                   __u32 nlmsg_pid; };
/// ```
final class NlMsgHdr {
  static final Layout LAYOUT = Layout.of("struct nlmsghdr");
  static final int LEN = LAYOUT.u32("nlmsg_len");
  static final int TYPE = LAYOUT.u16("nlmsg_type");
  static final int FLAGS = LAYOUT.u16("nlmsg_flags");
  static final int SEQ = LAYOUT.u32("nlmsg_seq");
  static final int PID = LAYOUT.u32("nlmsg_pid");
  static final int SIZE = LAYOUT.sizeBytes();

  private NlMsgHdr() {}
}
