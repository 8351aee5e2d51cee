package sluice.sys.xdp;

import sluice.sys.call.Layout;

/// The structure `struct xdp_mmap_offsets`, which contains an [XdpRingOffset] for each of the four
/// rings in 128 bytes. This class contains stateless offsets.
///
/// ```
///  byte 0     32    64              96
///      +-----+-----+---------------+---------------------+
///      | rx  | tx  | fr (fill)     | cr (completion)     |
///      +-----+-----+---------------+---------------------+ 128
/// ```
///
/// ```c
/// struct xdp_mmap_offsets { struct xdp_ring_offset rx, tx, fr, cr; };
/// ```
final class XdpMmapOffsets {
  static final Layout LAYOUT = Layout.of("struct xdp_mmap_offsets");
  static final int RX = LAYOUT.array("rx", Long.BYTES, 4);
  static final int TX = LAYOUT.array("tx", Long.BYTES, 4);
  static final int FR = LAYOUT.array("fr", Long.BYTES, 4);
  static final int CR = LAYOUT.array("cr", Long.BYTES, 4);

  private XdpMmapOffsets() {}
}
