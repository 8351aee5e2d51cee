package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of a UDP datagram (RFC 768). Stateless; the owner of the memory may call.
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

  /// Returns the length of header and data that the header states.
  public static int length(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 4);
  }

  /// Returns the checksum; 0 if the sender did not compute one.
  public static int checksum(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 6);
  }

  /// Writes the header before its data with a single store. A checksum over a header that was just
  /// stored in parts would stall until the parts are in the cache.
  ///
  /// @param length the length of header and data, at most 65535
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
