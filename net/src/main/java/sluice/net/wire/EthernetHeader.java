package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of an Ethernet frame (IEEE 802.3). Of tags (IEEE 802.1Q) only that of VLAN 0 is
/// known, which says a priority and no network: it is removed. Without state: the owner of the
/// memory may call.
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

  /// Of a tag.
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

  /// Whether an address stands for several stations.
  public static boolean isGroup(long address) {
    return (address & GROUP_BIT) != 0;
  }

  /// Whether a frame has a tag that names no VLAN.
  ///
  /// @param bytes that came
  public static boolean hasPriority(MemorySegment frame, long at, int bytes) {
    return bytes >= BYTES + TAG_BYTES
        && type(frame, at) == TYPE_TAGGED
        && (Wire.u16(frame, at + BYTES) & TAG_NUMBER) == 0;
  }

  /// Moves both addresses over the tag: the frame begins [#TAG_BYTES] later then.
  public static void removeTag(MemorySegment frame, long at) {
    MemorySegment.copy(frame, at, frame, at + TAG_BYTES, BYTES - 2);
  }

  /// Names the receiver of a frame whose header is written otherwise.
  public static void destination(MemorySegment frame, long at, long destination) {
    Wire.u48(frame, at, destination);
  }

  public static void write(MemorySegment frame, long at, long destination, long source, int type) {
    Wire.u64(frame, at, (destination << 16) | (source >>> 32));
    Wire.u32(frame, at + 8, (int) source);
    Wire.u16(frame, at + 12, type);
  }
}
