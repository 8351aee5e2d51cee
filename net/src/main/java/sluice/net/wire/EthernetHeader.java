package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of an Ethernet frame (IEEE 802.3). The only supported tag (IEEE 802.1Q) is VLAN 0,
/// which contains a priority but no VLAN and is removed. This class is stateless, and its methods
/// may be called by the owner of the memory.
///
/// ```
///  byte 0             6            12     14
///      +-------------+-------------+------+---------
///      | destination | source      | type | payload
///      +-------------+-------------+------+---------
///                                  12       14       16     18
///      +-------------+-------------+--------+--------+------+---------
///      | destination | source      | 0x8100 | tag    | type | payload
///      +-------------+-------------+--------+--------+------+---------
/// ```
public final class EthernetHeader {
  public static final int BYTES = 14;
  public static final int TYPE_IPV4 = 0x0800;
  public static final int TYPE_ARP = 0x0806;
  public static final long BROADCAST = 0xffff_ffff_ffffL;

  /// The length of a tag.
  public static final int TAG_BYTES = 4;

  private static final int TYPE_TAGGED = 0x8100;
  private static final int TAG_NUMBER = 0x0fff;
  private static final long GROUP_BIT = 1L << 40;

  private EthernetHeader() {}

  public static long destination(MemorySegment frame, long at) {
    return Wire.u48(frame, at);
  }

  public static long source(MemorySegment frame, long at) {
    return Wire.u48(frame, at + 6);
  }

  public static int type(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 12);
  }

  /// Returns true if the given address is a group address.
  public static boolean isGroup(long address) {
    return (address & GROUP_BIT) != 0;
  }

  /// Returns true if a frame has a tag of VLAN 0.
  ///
  /// @param bytes the length of the frame
  public static boolean hasPriority(MemorySegment frame, long at, int bytes) {
    return bytes >= BYTES + TAG_BYTES
        && type(frame, at) == TYPE_TAGGED
        && (Wire.u16(frame, at + BYTES) & TAG_NUMBER) == 0;
  }

  /// Removes the tag by moving both addresses over it. Afterwards, the frame starts [#TAG_BYTES]
  /// later.
  public static void removeTag(MemorySegment frame, long at) {
    MemorySegment.copy(frame, at, frame, at + TAG_BYTES, BYTES - 2);
  }

  /// Sets the destination of a frame without changing the other fields of the header.
  public static void destination(MemorySegment frame, long at, long destination) {
    Wire.u48(frame, at, destination);
  }

  public static void write(MemorySegment frame, long at, long destination, long source, int type) {
    Wire.u64(frame, at, (destination << 16) | (source >>> 32));
    Wire.u32(frame, at + 8, (int) source);
    Wire.u16(frame, at + 12, type);
  }
}
