package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The header of an ICMP message (RFC 792). This class is stateless, and its methods may be called
/// by the owner of the memory.
///
/// ```
///  byte 0      1      2          4            8
///      +------+------+----------+------------+-------
///      | type | code | checksum | id, number | data
///      +------+------+----------+------------+-------
/// ```
public final class IcmpHeader {
  public static final int BYTES = 8;
  public static final int ECHO_REPLY = 0;
  public static final int UNREACHABLE = 3;
  public static final int ECHO = 8;

  /// The codes of [#UNREACHABLE].
  public static final int PROTOCOL_UNREACHABLE = 2;

  public static final int PORT_UNREACHABLE = 3;

  private IcmpHeader() {}

  public static int type(MemorySegment frame, long at) {
    return Wire.u8(frame, at);
  }

  public static int code(MemorySegment frame, long at) {
    return Wire.u8(frame, at + 1);
  }

  public static int echoId(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 4);
  }

  public static int echoNumber(MemorySegment frame, long at) {
    return Wire.u16(frame, at + 6);
  }

  /// Writes the header of a message, including the checksum of the header and the data. The data
  /// must already have been written.
  ///
  /// @param rest the identifier and sequence number of an echo message, or 0 for an error
  /// @param bytes the length of the header and the data
  public static void write(MemorySegment frame, long at, int typeAndCode, int rest, int bytes) {
    Wire.u16(frame, at, typeAndCode);
    Wire.u16(frame, at + 2, 0);
    Wire.u32(frame, at + 4, rest);
    Wire.u16(frame, at + 2, Checksum.finish(Checksum.sum(frame, at, bytes)));
  }

  /// Converts an echo request to its reply in place by changing the type from 8 to 0 and adjusting
  /// the checksum (RFC 1624).
  public static void toReply(MemorySegment frame, long at) {
    Wire.u8(frame, at, ECHO_REPLY);
    Wire.u16(frame, at + 2, Checksum.add(Wire.u16(frame, at + 2), ECHO << 8));
  }
}
