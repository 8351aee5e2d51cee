package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// An ARP packet for IPv4 over Ethernet (RFC 826). This class is stateless, and its methods may be
/// called by the owner of the memory.
///
/// ```
///  byte 0      2       4     5     6    8            14           18           24           28
///      +------+-------+-----+-----+----+------------+------------+------------+------------+
///      | 1    | 0x800 | 6   | 4   | op | sender MAC | sender IP  | target MAC | target IP  |
///      +------+-------+-----+-----+----+------------+------------+------------+------------+
/// ```
public final class ArpPacket {
  public static final int BYTES = 28;
  public static final int REQUEST = 1;
  public static final int REPLY = 2;

  /// The hardware type and protocol type as one number.
  private static final int ETHERNET_IPV4 = 0x0001_0800;

  private static final int LENGTHS = 0x0604;

  private ArpPacket() {}

  /// Returns true if the packet is complete and contains IPv4 addresses over Ethernet.
  public static boolean isValid(MemorySegment frame, long at, int bytes) {
    return bytes >= BYTES
        && Wire.u32(frame, at) == ETHERNET_IPV4
        && Wire.u16(frame, at + 4) == LENGTHS;
  }

  public static int operation(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 6);
  }

  public static long senderMac(MemorySegment frame, long at) {
    return Wire.u48(frame, at + 8);
  }

  public static int senderAddress(MemorySegment frame, long at) {
    return Wire.u32(frame, at + 14);
  }

  public static int targetAddress(MemorySegment frame, long at) {
    return Wire.u32(frame, at + 24);
  }

  /// Writes all fields except the target.
  public static void write(
      MemorySegment frame, long at, int operation, long senderMac, int senderAddress) {
    Wire.u32(frame, at, ETHERNET_IPV4);
    Wire.u16(frame, at + 4, LENGTHS);
    Wire.u16(frame, at + 6, operation);
    Wire.u48(frame, at + 8, senderMac);
    Wire.u32(frame, at + 14, senderAddress);
  }

  public static void target(MemorySegment frame, long at, long mac, int address) {
    Wire.u48(frame, at + 18, mac);
    Wire.u32(frame, at + 24, address);
  }
}
