package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of an Ethernet frame (IEEE 802.3), without tags. Without state: the owner of the
/// memory may call.
///
/// ```
///  byte 0             6            12     14
///      +-------------+-------------+------+---------
///      | destination | source      | type | payload
///      +-------------+-------------+------+---------
/// ```
public final class EthernetHeader {
  public static final int BYTES = 14;
  public static final int TYPE_IPV4 = 0x0800;
  public static final int TYPE_ARP = 0x0806;
  public static final long BROADCAST = 0xffff_ffff_ffffL;

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
