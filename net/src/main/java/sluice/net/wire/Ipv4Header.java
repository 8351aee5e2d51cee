package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of an IPv4 packet (RFC 791). This class is stateless, and its methods may be called
/// by the owner of the memory.
///
/// ```
///  byte 0    1     2       4    6             8     9          10         12       16       20
///      +----+-----+-------+----+-------------+-----+----------+----------+--------+--------+----
///      |4|IHL| TOS| total | id | flags offset| TTL | protocol | checksum | source | destin.| opt.
///      +----+-----+-------+----+-------------+-----+----------+----------+--------+--------+----
/// ```
public final class Ipv4Header {
  /// The length of a header without options.
  public static final int BYTES = 20;

  public static final int MOST_BYTES = 60;
  public static final int ICMP = 1;
  public static final int UDP = 17;

  public static final int MORE_FRAGMENTS = 0x2000;
  private static final int OFFSET = 0x1fff;
  private static final int VERSION_AND_LENGTH = 0x45;
  private static final int TIME_TO_LIVE = 64;
  private static final int HIGH = 0xffff_0000;
  private static final long WORD = 0xffff_ffffL;

  private Ipv4Header() {}

  /// Returns the length of the header, or 0 if the packet is incomplete or its header is invalid.
  ///
  /// @param bytes the number of received bytes
  public static int check(MemorySegment frame, long at, int bytes) {
    if (bytes < BYTES || Wire.u8(frame, at) >>> 4 != 4) {
      return 0;
    }
    int header = (Wire.u8(frame, at) & 0xf) * 4;
    int total = totalLength(frame, at);
    boolean fits = header >= BYTES && header <= total && total <= bytes;
    return fits && Checksum.sum(frame, at, header) == 0xffff ? header : 0;
  }

  public static int totalLength(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 2);
  }

  public static int id(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 4);
  }

  /// Returns true if the packet is a fragment.
  public static boolean isFragment(MemorySegment frame, long at) {
    return (Wire.u16(frame, at + 6) & (MORE_FRAGMENTS | OFFSET)) != 0;
  }

  public static boolean moreFragments(MemorySegment frame, long at) {
    return (Wire.u16(frame, at + 6) & MORE_FRAGMENTS) != 0;
  }

  /// Returns the offset of a fragment in bytes.
  public static int fragmentOffset(MemorySegment frame, long at) {
    return (Wire.u16(frame, at + 6) & OFFSET) * 8;
  }

  public static int protocol(MemorySegment frame, long at) {
    return Wire.u8(frame, at + 9);
  }

  public static int source(MemorySegment frame, long at) {
    return Wire.u32(frame, at + 12);
  }

  public static int destination(MemorySegment frame, long at) {
    return Wire.u32(frame, at + 16);
  }

  /// Writes the constant fields of a header without options, which is then completed by
  /// [#fragment].
  public static void write(MemorySegment frame, long at, int id, int protocol, int source) {
    Wire.u32(frame, at + 4, id << 16);
    Wire.u32(frame, at + 8, (TIME_TO_LIVE << 24) | (protocol << 16));
    Wire.u32(frame, at + 12, source);
  }

  /// Completes a header.
  ///
  /// @param payload the length of the payload
  /// @param offset the offset of the payload in the packet, a multiple of 8
  /// @param more true if more fragments follow
  public static void fragment(
      MemorySegment frame, long at, int destination, int payload, int offset, boolean more) {
    int first = (VERSION_AND_LENGTH << 24) | (BYTES + payload);
    int second = (Wire.u32(frame, at + 4) & HIGH) | (offset / 8) | (more ? MORE_FRAGMENTS : 0);
    int third = Wire.u32(frame, at + 8) & HIGH;
    long addresses = (Wire.u32(frame, at + 12) & WORD) + (destination & WORD);
    long sum = (first & WORD) + (second & WORD) + (third & WORD) + addresses;
    Wire.u32(frame, at, first);
    Wire.u32(frame, at + 4, second);
    Wire.u32(frame, at + 8, third | Checksum.finish(sum));
    Wire.u32(frame, at + 16, destination);
  }
}
