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

  /// Writes all but the checksum, which is 0 then.
  public static void write(
      MemorySegment frame, long at, int sourcePort, int destinationPort, int length) {
    Wire.u16(frame, at, sourcePort);
    Wire.u16(frame, at + 2, destinationPort);
    Wire.u16(frame, at + 4, length);
    Wire.u16(frame, at + 6, 0);
  }

  /// Adds the checksum of header and data.
  ///
  /// @param pseudoHeader its sum
  public static void checksum(MemorySegment frame, long at, int pseudoHeader, int length) {
    int sum = Checksum.add(pseudoHeader, Checksum.sum(frame, at, length));
    int checksum = Checksum.finish(sum);
    Wire.u16(frame, at + 6, checksum == 0 ? 0xffff : checksum);
  }
}
