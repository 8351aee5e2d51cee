package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of a UDP datagram (RFC 768). Without state: the owner of the memory may call.
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

  /// Of header and data, as the sender says.
  public static int length(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 4);
  }

  /// 0 says that the sender made none.
  public static int checksum(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 6);
  }

  /// Writes the header in front of its data, by one store: the sum of what a processor has just
  /// stored in parts would have to wait for the parts.
  ///
  /// @param length of header and data, at most 65535
  /// @param pseudoHeader its sum
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
