package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct xdp_ring_offset`, which contains the offsets of the parts of a ring in its
/// mapping. It has 32 bytes. This class contains stateless offsets.
///
/// ```
///  byte 0          8          16     24
///      +----------+----------+------+-------+
///      | producer | consumer | desc | flags |
///      +----------+----------+------+-------+ 32
/// ```
///
/// ```c
/// struct xdp_ring_offset { __u64 producer; __u64 consumer; __u64 desc; __u64 flags; };
/// ```
final class XdpRingOffset {
  static final Layout LAYOUT = Layout.of("struct xdp_ring_offset");
  static final int PRODUCER = LAYOUT.u64("producer");
  static final int CONSUMER = LAYOUT.u64("consumer");
  static final int DESC = LAYOUT.u64("desc");
  static final int FLAGS = LAYOUT.u64("flags");

  private XdpRingOffset() {}
}
