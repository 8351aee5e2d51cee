package sluice.net.wire;

import java.lang.foreign.MemorySegment;

/// The options of an IPv4 header (RFC 791, section 3.1). This class is stateless, and its methods
/// may be called by the owner of the memory.
///
/// ```
///  0  end of the list        1  no operation
///  type | length | data      all others: the length includes type and length
/// ```
public final class Ipv4Options {
  private static final int END = 0;
  private static final int NO_OPERATION = 1;
  private static final int LOOSE_SOURCE_ROUTE = 131;
  private static final int STRICT_SOURCE_ROUTE = 137;

  private Ipv4Options() {}

  /// Returns true if the options are well-formed and contain no source route. Packets with a source
  /// route are refused (RFC 7126, section 4.3).
  ///
  /// @param headerBytes the length of the header
  public static boolean areHarmless(MemorySegment frame, long headerAt, int headerBytes) {
    int i = Ipv4Header.BYTES;
    while (i < headerBytes) {
      int type = Wire.u8(frame, headerAt + i);
      if (type == END) {
        return true;
      }
      if (type == NO_OPERATION) {
        i++;
        continue;
      }
      if (type == LOOSE_SOURCE_ROUTE || type == STRICT_SOURCE_ROUTE || i + 1 >= headerBytes) {
        return false;
      }
      int length = Wire.u8(frame, headerAt + i + 1);
      if (length < 2 || length > headerBytes - i) {
        return false;
      }
      i += length;
    }
    return true;
  }
}
