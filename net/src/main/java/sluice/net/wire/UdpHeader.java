package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of a UDP datagram (RFC 768). This class is stateless, and its methods may be called
/// by the owner of the memory.
///
/// ```
///  byte 0        2             4        6          8
///      +--------+-------------+--------+----------+------
///      | source | destination | length | checksum | data
///      +--------+-------------+--------+----------+------
/// ```
public final class UdpHeader {
  public static final int BYTES = 8;

  private UdpHeader() {}

  public static int sourcePort(MemorySegment frame, long at) {
    return Wire.u16(frame, at);
  }

  public static int destinationPort(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 2);
  }

  /// Returns the length of the header and the data according to the header.
  public static int length(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 4);
  }

  /// Returns the checksum, or 0 if it was not computed by the sender.
  public static int checksum(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 6);
  }

  /// Writes the header in front of its data with a single store. If the header were stored in
  /// parts, computing a checksum over it would stall until the parts are in the cache.
  ///
  /// @param length the length of the header and the data, at most 65535
  /// @param pseudoHeader the sum of the pseudo-header
  public static void write(
      MemorySegment frame,
      long at,
      int sourcePort,
      int destinationPort,
      int length,
      int pseudoHeader) {
    long ports = ((sourcePort & 0xffffL) << 16) | (destinationPort & 0xffffL);
    int data = Checksum.sum(frame, at + BYTES, length - BYTES);
    int checksum = Checksum.finish(ports + length + pseudoHeader + data);
    Wire.u64(
        frame, at, (ports << 32) | ((long) length << 16) | (checksum == 0 ? 0xffff : checksum));
  }
}
